// A click on a heading sorts its table by that column, a second one the other way round. Numbers are
// compared as numbers and come before texts; empty cells stay at the end.
document.querySelectorAll(".table table").forEach(function (table) {
  var body = table.tBodies[0];
  function compare(a, b) {
    var x = Number(a), y = Number(b);
    if (isNaN(x) || isNaN(y)) return isNaN(x) && isNaN(y) ? a.localeCompare(b, undefined, { numeric: true }) : isNaN(x) - isNaN(y);
    return x - y;
  }
  table.querySelectorAll("thead th").forEach(function (heading, column) {
    var button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", function () {
      var sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      function text(row) { return row.cells[column].textContent.trim(); }
      var rows = Array.from(body.rows).sort(function (r, s) {
        var a = text(r), b = text(s);
        return a === "" || b === "" ? (a === "") - (b === "") : sign * compare(a, b);
      });
      table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      body.append(...rows);
    });
  });
});

// A click on a figure shows it as large as the window; another one, or Escape, puts it back.
function small() {
  document.querySelectorAll("figure.large").forEach(function (figure) { figure.classList.remove("large"); });
}
document.querySelectorAll("figure img, figure svg").forEach(function (picture) {
  picture.addEventListener("click", function () {
    var figure = picture.closest("figure"), large = figure.classList.contains("large");
    small();
    figure.classList.toggle("large", !large);
  });
});
document.addEventListener("keydown", function (event) { if (event.key === "Escape") small(); });
