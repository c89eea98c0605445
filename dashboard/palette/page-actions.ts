export interface PageAction {
  readonly name: string
  readonly act: () => void
}

/** More would bury the pages that one can go to. */
const most = 12

/**
 * What the page in sight offers: its buttons, by the names that they have there. One of several
 * with the same name says too little to be chosen by it.
 */
export function pageActions(): readonly PageAction[] {
  const buttons = [...document.querySelectorAll<HTMLElement>('#main .button')].flatMap((element) => {
    const name = (element.getAttribute('aria-label') ?? element.innerText).replaceAll(/\s+/g, ' ').trim()
    const isOff = element instanceof HTMLButtonElement && element.disabled
    return name === '' || isOff || !element.checkVisibility() ? [] : [{ name, element }]
  })
  const named = Map.groupBy(buttons, ({ name }) => name)
  return [...named]
    .flatMap(([name, [first, ...others]]) =>
      first && others.length === 0 ? [{ name, act: () => actOn(first.element) }] : [],
    )
    .slice(0, most)
}

function actOn(element: HTMLElement): void {
  element.focus()
  element.click()
}
