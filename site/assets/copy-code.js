// A button at each piece of code copies it. sphinx-copybutton would do so as well,
// in twenty times as many bytes, but its buttons have no name for those who hear
// the page: here each says which piece it copies, and that it has.
{
  const sign = path => '<svg viewBox="0 0 24 24" stroke-width="1.5" fill="none"'
    + ` stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;
  const SHEETS = sign('<rect x="8" y="8" width="12" height="12" rx="2"/>'
    + '<path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>');
  const TICK = sign('<path d="m5 12 5 5L20 7"/>');
  const copy = async code => {
    try {
      await navigator.clipboard.writeText(code.textContent.trimEnd());
    } catch {
      // Not given to pages from a server without a certificate.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
  };
  document.querySelectorAll("div.highlight pre").forEach((code, i) => {
    const button = document.createElement("button");
    const show = (name, shape) => {
      button.title = name;
      button.ariaLabel = `${name} ${i + 1}`;
      button.innerHTML = shape;
    };
    button.type = "button";
    button.className = "copybtn";
    show("Copy code", SHEETS);
    button.addEventListener("click", async () => {
      await copy(code);
      button.classList.add("success");
      show("Copied code", TICK);
      setTimeout(() => {
        button.classList.remove("success");
        show("Copy code", SHEETS);
      }, 2000);
    });
    code.after(button);
  });
}
