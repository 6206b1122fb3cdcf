// The search page: finds sections that have all words, those with a word in the heading
// first. Texts are only ever shown as text.
(() => {
  const box = document.getElementById("find");
  if (!box) return;
  const list = document.getElementById("found");
  const fold = (text) => text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  const sections = window.littlestoneIndex.map(([url, page, heading, text]) => ({
    url, page, heading, text, head: fold(`${page} ${heading}`), body: fold(text),
  }));

  const score = (section, words) => {
    let sum = 0;
    for (const word of words) {
      const inHead = section.head.includes(word);
      const times = section.body.split(word).length - 1;
      if (!inHead && times === 0) return 0;
      sum += (inHead ? 20 : 0) + Math.min(times, 5);
    }
    return sum;
  };

  const excerpt = (section, words) => {
    const at = Math.max(0, section.body.indexOf(words[0]) - 60);
    return (at > 0 ? "… " : "") + section.text.slice(at, at + 200);
  };

  const show = () => {
    const words = fold(box.value).split(/\s+/).filter((word) => word.length > 1);
    const best = words.length === 0 ? [] : sections
      .map((section) => [score(section, words), section])
      .filter(([points]) => points > 0)
      .sort(([a], [b]) => b - a)
      .slice(0, 40);
    list.replaceChildren(...best.map(([, section]) => {
      const link = document.createElement("a");
      link.href = section.url;
      link.textContent = section.heading && section.heading !== section.page
        ? `${section.page}: ${section.heading}` : section.page;
      const item = document.createElement("li");
      item.append(link, document.createElement("br"), excerpt(section, words));
      return item;
    }));
    document.getElementById("count").textContent = words.length === 0 ? ""
      : best.length === 0 ? "Nothing was found." : `${best.length} sections`;
  };

  box.addEventListener("input", show);
  box.value = decodeURIComponent(location.hash.slice(1));
  box.focus();
  show();
})();
