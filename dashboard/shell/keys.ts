import { useEffect } from 'react'
import type { Escalation } from '../../src/api/chat.ts'
import { href } from '../router.ts'

interface Actions {
  readonly help: () => void
  /** The question that waits longest. */
  readonly question: Escalation | null
}

/**
 * j and k walk through the items of a page, Enter opens one (they are links), r goes to the reply
 * box, ? shows help.
 */
export function useKeys({ help, question }: Actions): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]')) return
      if (event.key === 'j') walk(1)
      else if (event.key === 'k') walk(-1)
      else if (event.key === 'r') reply(question)
      else if (event.key === '?') help()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [help, question])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** Items carry `data-item`; those out of sight of a long list come into it as the focus nears. */
function walk(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = items[at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

function reply(question: Escalation | null): void {
  const box = document.querySelector<HTMLElement>('[data-reply]')
  if (box) box.focus()
  else if (question) window.location.hash = href('questions')
}
