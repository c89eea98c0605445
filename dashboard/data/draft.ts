import { useState } from 'react'

/**
 * Text that a person is writing. It outlasts the page that it is written on, and goes with the tab;
 * `clear` once it has been sent.
 */
export function useDraft(name: string): readonly [text: string, change: (text: string) => void, clear: () => void] {
  const place = `drydock.draft.${name}`
  const [text, setText] = useState(() => kept(place))
  const change = (next: string) => {
    setText(next)
    try {
      if (next === '') sessionStorage.removeItem(place)
      else sessionStorage.setItem(place, next)
    } catch {
      // Storage can be switched off or full: the text then lasts as long as its box.
    }
  }
  return [text, change, () => change('')]
}

function kept(place: string): string {
  try {
    return sessionStorage.getItem(place) ?? ''
  } catch {
    return ''
  }
}
