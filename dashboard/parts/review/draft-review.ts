import { useSyncExternalStore } from 'react'
import type { Anchor } from './anchor.ts'

/** A comment that has not been sent. */
export interface Draft extends Anchor {
  /** The idempotency key: however often the comment is sent, the server stores it once. */
  readonly key: string
  /** Id of the comment whose thread it is written in; null for none. */
  readonly replyTo: string | null
  /** The text before the change that is being made; null for a new one. */
  readonly before: string | null
  /** True if the comment is being written. */
  readonly isOpen: boolean
  readonly hasText: boolean
}

interface StoredDraft extends Omit<Draft, 'hasText'> {
  readonly text: string
}

/**
 * A person's unsent comments on one change. Like other drafts they survive leaving the page and a
 * reload, and are dropped with the tab.
 */
export interface DraftReview {
  all(): readonly Draft[]
  /** The text so far. */
  textOf(key: string): string
  subscribe(changed: () => void): () => void
  /** Begins one, or a reply in the thread of a comment; only one without words is open. */
  begin(anchor: Anchor, replyTo?: string): void
  edit(key: string): void
  write(key: string, text: string): void
  /** Keeps the edited text. */
  finish(key: string): void
  /** Drops the text since the last `finish`. */
  cancel(key: string): void
  remove(key: string): void
  clear(keys: readonly string[]): void
}

const stores = new Map<string, DraftReview>()

export function draftReview(name: string): DraftReview {
  const known = stores.get(name)
  if (known) return known
  const made = createDraftReview(`drydock.review.${name}`)
  stores.set(name, made)
  return made
}

export function useDrafts(review: DraftReview): readonly Draft[] {
  return useSyncExternalStore(review.subscribe, review.all)
}

function createDraftReview(place: string): DraftReview {
  const stored = kept(place)
  // Separate from the drafts, so that a key press in one box renders only that box.
  const texts = new Map(stored.map(({ key, text }) => [key, text]))
  const textOf = (key: string) => texts.get(key) ?? ''
  const hasText = (key: string) => textOf(key).trim() !== ''
  let drafts: readonly Draft[] = stored.map(({ text: _, ...draft }) => ({
    ...draft,
    replyTo: draft.replyTo ?? null,
    hasText: hasText(draft.key),
  }))
  const listeners = new Set<() => void>()
  const save = () =>
    store(
      place,
      drafts.map(({ hasText: _, ...draft }) => ({ ...draft, text: textOf(draft.key) })),
    )
  const set = (next: readonly Draft[]) => {
    drafts = next
    save()
    for (const listener of listeners) listener()
  }
  const change = (key: string, to: (draft: Draft) => Draft | null) =>
    set(drafts.flatMap((draft) => (draft.key === key ? (to(draft) ?? []) : draft)))
  return {
    all: () => drafts,
    textOf,
    subscribe(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    begin({ path, side, start, end, hunk }, replyTo) {
      const rest = drafts.filter((draft) => draft.hasText || !draft.isOpen)
      const key = crypto.randomUUID()
      const at = { path, side, start, end, hunk }
      set([...rest, { ...at, key, replyTo: replyTo ?? null, before: null, isOpen: true, hasText: false }])
    },
    edit: (key) => change(key, (draft) => ({ ...draft, isOpen: true, before: textOf(key) })),
    write(key, text) {
      texts.set(key, text)
      const shown = drafts.find((draft) => draft.key === key)?.hasText
      if (shown === hasText(key)) save()
      else change(key, (draft) => ({ ...draft, hasText: hasText(key) }))
    },
    finish: (key) => change(key, (draft) => (draft.hasText ? { ...draft, isOpen: false, before: null } : null)),
    cancel(key) {
      const before = drafts.find((draft) => draft.key === key)?.before ?? null
      texts.set(key, before ?? '')
      change(key, (draft) => (before === null ? null : { ...draft, before: null, isOpen: false, hasText: true }))
    },
    remove: (key) => change(key, () => null),
    clear: (keys) => set(drafts.filter(({ key }) => !keys.includes(key))),
  }
}

function store(place: string, drafts: readonly StoredDraft[]): void {
  try {
    if (drafts.length === 0) sessionStorage.removeItem(place)
    else sessionStorage.setItem(place, JSON.stringify(drafts))
  } catch {
    // Storage may be disabled or full: the drafts then last as long as the page.
  }
}

function kept(place: string): readonly StoredDraft[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(place) ?? '[]')
    return Array.isArray(found) ? (found as StoredDraft[]) : []
  } catch {
    return []
  }
}
