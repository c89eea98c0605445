import { Command } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import type { RunList } from '../../src/api/runs.ts'
import { problemOf } from '../data/client.ts'
import { plural } from '../figures-text.ts'
import { Icon } from '../parts/icon.tsx'
import type { Route } from '../router.ts'
import { groupsOf, type Item } from './items.ts'
import { pageActions } from './page-actions.ts'
import { useSearch } from './use-search.ts'
import '../styles/palette.css'

interface Props {
  readonly route: Route
  readonly list: RunList
  readonly close: () => void
}

/** Goes to any page, searches everything, and runs the actions of the current page. */
export function Palette({ route, list, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const chosen = useRef<Item['to'] | null>(null)
  const [actions] = useState(pageActions)
  const [typed, setTyped] = useState('')
  const run = route.path[0] === 'runs' ? route.path[1] : undefined
  const { search, error, isAsking } = useSearch(typed, run)
  const groups = groupsOf({ typed, actions, route, list, search })
  const [picked, pick] = useState('')
  const ids = groups.flatMap(({ items }) => items.map(({ id }) => id))
  // The picked item stays picked while more results arrive; if it disappears, the first one is
  // picked.
  const current = ids.includes(picked) ? picked : (ids[0] ?? '')
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    input.current?.focus()
  }, [])
  const choose = (to: Item['to']) => {
    chosen.current = to
    dialog.current?.close()
  }
  const closed = () => {
    close()
    const to = chosen.current
    if (typeof to === 'string') window.location.hash = to
    else to?.()
  }
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search and go"
      onClose={closed}
      onKeyDown={({ key, ctrlKey, metaKey }) => (ctrlKey || metaKey) && key === 'k' && dialog.current?.close()}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <Command label="Search and go" shouldFilter={false} loop value={current} onValueChange={pick}>
        <div className="palette-head">
          <Icon name="search" />
          <Command.Input
            ref={input}
            className="palette-input"
            placeholder="Search, or say where to go"
            maxLength={200}
            value={typed}
            onValueChange={setTyped}
          />
          <button type="button" className="button quiet" onClick={() => dialog.current?.close()}>
            <kbd>Esc</kbd>
            <span className="visually-hidden">Close</span>
          </button>
        </div>
        <Command.List className="palette-list" label="What there is" tabIndex={0}>
          {groups.map(({ title, items }) => (
            <Command.Group key={title} heading={title}>
              {items.map((item) => (
                <Line key={item.id} item={item} choose={choose} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
        <p className="palette-foot sub" role="status">
          {error ? problemOf(error).message : statusOf({ typed, isAsking, search, isEmpty: groups.length === 0 })}
        </p>
      </Command>
    </dialog>
  )
}

function Line({ item, choose }: { readonly item: Item; readonly choose: (to: Item['to']) => void }) {
  const { id, title, about, icon, keys = [], to } = item
  return (
    <Command.Item value={id} onSelect={() => choose(to)}>
      <Icon name={icon} />
      <span className="palette-title">{title}</span>
      {about && <span className="palette-about">{about}</span>}
      {keys.length > 0 && (
        <span className="palette-keys">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </Command.Item>
  )
}

interface SearchStatus {
  readonly typed: string
  readonly isAsking: boolean
  readonly isEmpty: boolean
  readonly search: { readonly more: number; readonly unread: number } | undefined
}

function statusOf({ typed, isAsking, isEmpty, search }: SearchStatus): string {
  if (typed.trim() === '') return 'Type to find runs, stories, changed files, tests and messages.'
  if (search && search.unread > 0) return `${plural(search.unread, 'run')} left to look through…`
  if (isAsking || search === undefined) return 'Searching…'
  if (isEmpty) return 'Nothing has all of these words.'
  return search.more > 0
    ? `${plural(search.more, 'more', 'more')} found: say more to see ${search.more === 1 ? 'it' : 'them'}.`
    : 'That is all.'
}
