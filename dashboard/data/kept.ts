import { useCallback, useState } from 'react'

/** A person's choice that outlasts the tab, unless storage is disabled or full. */
export function useKept<Value>(name: string, usual: Value): readonly [Value, (next: Value) => void] {
  const [value, setValue] = useState(() => readKept<Value>(name) ?? usual)
  const change = useCallback(
    (next: Value) => {
      setValue(next)
      keep(name, next)
    },
    [name],
  )
  return [value, change]
}

export function readKept<Value>(name: string): Value | null {
  try {
    return JSON.parse(localStorage.getItem(`drydock.${name}`) ?? 'null') as Value | null
  } catch {
    return null
  }
}

export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(`drydock.${name}`, JSON.stringify(value))
  } catch {
    // The choice then lasts as long as the page.
  }
}
