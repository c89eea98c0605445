import { useCallback } from 'react'
import { ask, useAsked } from '../router.ts'

/**
 * A choice that the address keeps, so that going back, loading again and a copied link keep it.
 * What is none of the values counts as not chosen.
 */
export function useFilter<Value extends string>(
  name: string,
  values: readonly Value[],
): readonly [chosen: Value | null, choose: (value: Value | null) => void] {
  const asked = useAsked(name)
  const chosen = values.find((value) => value === asked) ?? null
  return [chosen, useCallback((value) => ask({ [name]: value }), [name])]
}

/** Words that a list is narrowed to; all of them have to be in what is shown. */
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
