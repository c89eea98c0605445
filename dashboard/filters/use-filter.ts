import { useCallback } from 'react'
import { ask, useAsked } from '../router.ts'

/**
 * A choice that is kept in the address, so that it survives navigation, reloads and copied links.
 * An unknown value counts as no choice.
 */
export function useFilter<Value extends string>(
  name: string,
  values: readonly Value[],
): readonly [chosen: Value | null, choose: (value: Value | null) => void] {
  const asked = useAsked(name)
  const chosen = values.find((value) => value === asked) ?? null
  return [chosen, useCallback((value) => ask({ [name]: value }), [name])]
}

/** The words of a text filter; an item must contain all of them. */
export function useTextFilter(): { readonly text: string; readonly matches: (...texts: Texts) => boolean } {
  const text = useAsked('text') ?? ''
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return {
    text,
    matches(...texts) {
      const all = texts.join(' ').toLowerCase()
      return words.every((word) => all.includes(word))
    },
  }
}

type Texts = readonly (string | null | undefined)[]
