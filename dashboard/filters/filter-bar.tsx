import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { DownloadTarget } from '../data/download.ts'
import { ask, useAsked } from '../router.ts'
import { DownloadButton } from './download-button.tsx'
import '../styles/filters.css'

interface Props {
  /** The items of the list in words, such as `runs`. */
  readonly what: string
  readonly download: DownloadTarget
  /** The names of the filters besides the text, for resetting them. */
  readonly filters?: readonly string[]
  /** The numbers of shown and of all items; left out if the total is unknown. */
  readonly shown?: { readonly some: number; readonly all: number }
  readonly children?: ReactNode
}

/** Filters a list, and offers all of it as a file. The choice is kept in the address. */
export function FilterBar({ what, download, filters = [], shown, children }: Props) {
  const text = useAsked('text') ?? ''
  const hash = window.location.hash
  const isNarrowed = text !== '' || filters.some((name) => new RegExp(`[?&]${name}=`).test(hash))
  const clear = () => ask(Object.fromEntries(['text', ...filters].map((name) => [name, null])))
  return (
    <search className="filter-bar" aria-label={`Filter the ${what}`}>
      <TextFilter what={what} />
      {children}
      {isNarrowed && (
        <button type="button" className="button quiet" onClick={clear}>
          Clear
        </button>
      )}
      <span className="filter-count sub" role="status">
        {shown && isNarrowed && `${shown.some} of ${shown.all}`}
      </span>
      <DownloadButton what={what} download={download} />
    </search>
  )
}

/** Milliseconds after the last key press until the list is filtered. */
const restMs = 150

function TextFilter({ what }: { readonly what: string }) {
  const kept = useAsked('text') ?? ''
  const [typed, setTyped] = useState(kept)
  const own = useRef(kept)
  useEffect(() => {
    // Ignores the value that was typed here, so that only navigation changes the text.
    if (kept === own.current) return
    own.current = kept
    setTyped(kept)
  }, [kept])
  useEffect(() => {
    if (typed === own.current) return
    const timer = setTimeout(() => {
      own.current = typed
      ask({ text: typed }, 'replace')
    }, restMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      className="input filter-text"
      type="search"
      aria-label={`Filter the ${what} by text`}
      placeholder={`Filter the ${what}`}
      value={typed}
      maxLength={200}
      data-filter
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  /** The title of the option for no choice. */
  readonly all: string
  readonly options: readonly { readonly value: Value; readonly title: string }[]
  readonly chosen: Value | null
  readonly choose: (value: Value | null) => void
}

export function FilterChoice<Value extends string>({ label, all, options, chosen, choose }: ChoiceProps<Value>) {
  return (
    <select
      className="input filter-choice"
      aria-label={label}
      value={chosen ?? ''}
      onChange={({ target }) => choose(options.find(({ value }) => value === target.value)?.value ?? null)}
    >
      <option value="">{all}</option>
      {options.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  )
}
