# text.awk - numbers and names as the figures write them; for the other programs, which name it first.

BEGIN {
    FS = OFS = "\t"
    CONVFMT = "%.15g" # a size of more than 31 bits is an index, too
    times = "\303\227" # the multiplication sign in UTF-8
}

function positive(text)
{
    return text ~ /^[0-9.]+([eE][-+]?[0-9]+)?$/ && text + 0 > 0
}

# A number to three significant digits, without an exponent. (2.605 is a little less in binary.)
function digits3(value,    decimals, unit)
{
    value *= 1 + 1e-12
    for (unit = 1; value / unit >= 999.5; unit *= 10)
        ;
    value = value / unit
    decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : value >= 0.09995 ? 3 : \
        value >= 0.009995 ? 4 : value >= 0.0009995 ? 5 : 6
    value = sprintf("%." decimals "f", value)
    return unit > 1 ? sprintf("%.0f", value * unit) : value
}

function ms(seconds)
{
    return digits3(seconds * 1e3) " ms"
}

# A size or a block, `16x16`, with the multiplication sign.
function crossed(text)
{
    if (text ~ /^[0-9]+x[0-9]+$/)
        sub(/x/, times, text)
    return text
}

# How wide a character is that begins with this byte of UTF-8: those of three bytes and more are mostly
# Chinese, Japanese or Korean; a byte within a character has no width.
function width_of(byte)
{
    return byte ~ /[\200-\277]/ ? 0 : byte ~ /[\340-\377]/ ? 2 : 1
}

# A name no wider than `most` characters; what is cut off leaves an ellipsis. (In the C locale.)
function shortened(name, most,    i, n, end)
{
    for (i = 1; i <= length(name); i++) {
        n += width_of(substr(name, i, 1))
        if (n <= most - 1)
            end = i
    }
    return n <= most ? name : substr(name, 1, end) "\342\200\246"
}

# What a lab is about, by its name: `lab2`, or `lab5_f32` for a further type of pixel.
function lab_title(name,    short, type)
{
    short = name
    sub(/_.*/, "", short)
    type = substr(name, length(short) + 2)
    name = short == "lab1" ? "Vector addition" : short == "lab2" ? "Matrix product" : \
        short == "lab3" ? "Bilateral filter" : short == "lab4" ? "Template matching" : \
        short == "lab5" ? "Gaussian filter" : short == "lab6" ? "Banding reduction" : short
    return name (type == "" ? "" : ", " type)
}
