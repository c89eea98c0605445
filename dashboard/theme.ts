import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const key = 'drydock.theme'
const order: readonly Theme[] = ['system', 'light', 'dark']

/** The chosen theme, and a function that selects the next one: the system's, light, dark. */
export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(() => stored())
  const next = () => {
    const chosen = order[(order.indexOf(theme) + 1) % order.length] ?? 'system'
    if (chosen === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = chosen
    try {
      localStorage.setItem(key, chosen)
    } catch {
      // Storage may be disabled: the choice then lasts as long as the page.
    }
    setTheme(chosen)
  }
  return [theme, next]
}

function stored(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}
