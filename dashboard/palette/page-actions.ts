export interface PageAction {
  readonly name: string
  readonly act: () => void
}

/** The most actions, since more would hide the pages. */
const most = 12

/**
 * The actions of the current page: its buttons, under their labels. Buttons with equal labels are
 * left out, since the label would not identify one.
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
