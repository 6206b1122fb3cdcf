// Read from a folder, the theme hides its own search, but not the button for it on a
// phone: there it leads to the search page.
if (location.protocol === "file:") {
  const page = document.querySelector('a[href$="search.html"]');
  const button = document.querySelector('label.md-header__button[for="__search"]');
  if (page && button) {
    const link = document.createElement("a");
    link.className = button.className;
    link.href = page.href;
    link.title = "Search";
    link.append(...button.childNodes);
    button.replaceWith(link);
  }
}
