# recorded.awk - of labs.csv the labs that have rows in `folder`, and the header.
BEGIN { FS = "," }
NR == 1 || (getline line < (folder "/" $1 ".csv")) > 0
