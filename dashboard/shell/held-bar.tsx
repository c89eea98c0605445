import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { HeldLine } from '../../src/api/held.ts'
import { useUndo } from '../data/held.ts'
import { may } from '../data/may.ts'
import { keys } from '../data/queries.ts'
import { Problem } from '../parts/notice.tsx'
import { useSeconds } from '../parts/time.tsx'
import { href } from '../router.ts'
import '../styles/held.css'

/** Milliseconds between two fetches for the result of a command that is due. */
const lookMs = 1_000

/**
 * The commands that the server will run in a moment, on every page, each with a button to undo it.
 */
export function HeldBar({ held }: { readonly held: readonly HeldLine[] }) {
  return (
    <div className="held" role="status">
      {held.map((line) => (
        <Held key={line.id} line={line} />
      ))}
    </div>
  )
}

function Held({ line: { id, run, text, by, until, problem } }: { readonly line: HeldLine }) {
  const undo = useUndo()
  const client = useQueryClient()
  const left = Math.max(0, Math.ceil((Date.parse(until) - useSeconds()) / 1_000))
  const isDue = left === 0
  const isLookedFor = isDue && problem === null
  // No event reports a refusal, or a command that was given while no process works on the state.
  useEffect(() => {
    if (!isLookedFor) return
    const look = () => void client.invalidateQueries({ queryKey: keys.runs })
    look()
    const timer = setInterval(look, lookMs)
    return () => {
      clearInterval(timer)
      void client.invalidateQueries()
    }
  }, [isLookedFor, client])
  return (
    <div className="held-line">
      <span className="grow">
        <strong>{text}</strong>
        {by !== null && ` by ${by}`}
        {problem === null ? (isDue ? ' now' : ` in ${left} s`) : ': not done'}
        {problem !== null && (
          <span className="sub">
            {' '}
            {problem.message} {problem.todo}
          </span>
        )}
      </span>
      {run !== null && <a href={href('runs', run)}>{run}</a>}
      {problem === null && may('operator') && (
        <button type="button" className="button" disabled={undo.isPending} onClick={() => undo.mutate(id)}>
          Undo
        </button>
      )}
      {undo.isError && <Problem error={undo.error} />}
    </div>
  )
}
