// Scorecard, near misses, errata and statements, to look a claim up: a search field and a list
// of verdicts leave the cards that have all that is asked for. Without scripts all
// stay.

/** Tell whether a claim has all words, and the verdict if one is asked for. */
function claimHas(text, verdict, words, wanted) {
  const lower = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every(word => lower.includes(word)) &&
    (!wanted || verdict === wanted);
}

if (globalThis.HTMLElement) {
  const VERDICTS = ["proved", "measured", "corrected", "refuted"];
  const UNDECIDED = ["open", "no-claim"];  // of statements of the articles

  /** Return a new element with properties and children. */
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  customElements.define("claim-filter", class extends HTMLElement {
    connectedCallback() {
      if (this.words) return;
      this.cards = Array.from(document.querySelectorAll(".claim-card"), card => ({
        card,
        text: card.textContent,
        verdict: [...VERDICTS, ...UNDECIDED].find(verdict => card.querySelector(`.verdict-${verdict}`)),
      }));
      const here = UNDECIDED.filter(left => this.cards.some(({ verdict }) => verdict === left));
      const verdicts = [...VERDICTS, ...here];
      const asked = new URLSearchParams(location.search);
      this.words = make("input", { type: "search", name: "claim", autocomplete: "off" });
      this.verdict = make("select", { name: "verdict" }, make("option", { value: "" }, "any"),
        ...verdicts.map(verdict => make("option", { value: verdict }, verdict.replace("-", " "))));
      this.words.value = asked.get("claim") ?? "";
      this.verdict.value = verdicts.find(verdict => verdict === asked.get("verdict")) ?? "";
      this.status = make("p", { role: "status" });
      this.append(make("p", { className: "claim-fields" },
        make("label", {}, "Find ", this.words), make("label", {}, "Verdict ", this.verdict)),
      this.status);
      this.addEventListener("input", () => this.show());
      addEventListener("hashchange", () => this.uncover());
      this.show();
      this.uncover();
    }

    /** Show a card that a link leads to, whatever was asked for. */
    uncover() {
      const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!card?.hidden) return;
      this.words.value = this.verdict.value = "";
      this.show();
      card.scrollIntoView();
    }

    show() {
      let found = 0;
      const [words, wanted] = [this.words.value, this.verdict.value];
      for (const { card, text, verdict } of this.cards) {
        card.hidden = !claimHas(text, verdict, words, wanted);
        found += !card.hidden;
      }
      for (const part of new Set(this.cards.map(({ card }) => card.parentElement))) {
        part.hidden = !part.querySelector(".claim-card:not([hidden])");
      }
      this.status.textContent = `${found} of ${this.cards.length} ${this.getAttribute("of") ?? "claims"}.`;
    }
  });
}
