// A button that shows and hides a part of the page. The browser keeps whether it is shown.

import { storage } from "./theme.js";

export class Toggle {
  #key;

  /** The browser keeps the state under `key`. `onChange(isOpen)` is called when it is another one. */
  constructor(button, key, onChange) {
    this.button = button;
    this.#key = key;
    this.onChange = onChange;
    this.isOpen = storage()?.getItem(key) === "open";
    button.setAttribute("aria-pressed", this.isOpen);
    button.addEventListener("click", () => this.set(!this.isOpen));
  }

  set(isOpen) {
    this.isOpen = isOpen;
    this.button.setAttribute("aria-pressed", isOpen);
    storage()?.setItem(this.#key, isOpen ? "open" : "closed");
    this.onChange(isOpen);
  }
}
