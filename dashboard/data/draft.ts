import { useState } from 'react'

/**
 * Text that a person is writing. It survives leaving the page, and is dropped with the tab, or by
 * `clear` once it was sent.
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
      // Storage may be disabled or full: the text then lasts as long as its box.
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
