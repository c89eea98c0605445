import { useState } from 'react'
import type { RunList } from '../../src/api/runs.ts'
import type { Connection } from '../data/follow.ts'

interface Props {
  readonly connection: Connection
  readonly owned: boolean | null
  readonly list: RunList
}

/** Problems that affect the whole screen, above every page. */
export function Bar({ connection, owned, list }: Props) {
  const [loaded] = useState(list.version)
  if (connection === 'lost') {
    return (
      <div className="bar bad" role="status">
        The connection to Drydock is lost; trying again. What you see may be old. If it was stopped, run{' '}
        <code>drydock serve</code>
      </div>
    )
  }
  if (connection === 'ended') {
    return (
      <div className="bar" role="status">
        The command that showed this page has ended. What you see is its last state. To look further, run{' '}
        <code>drydock serve</code> in the repository; this page then continues.
      </div>
    )
  }
  if (list.version !== loaded) {
    return (
      <div className="bar" role="status">
        Drydock is {list.version} now, this page is of {loaded}.{' '}
        <button type="button" className="button" onClick={() => window.location.reload()}>
          Load it again
        </button>
      </div>
    )
  }
  if (connection === 'live' && owned === false && list.runs.some(({ interrupted }) => interrupted)) {
    return (
      <div className="bar bad" role="status">
        No process works on this repository now, so nothing continues. Run <code>drydock resume</code>
      </div>
    )
  }
  return null
}
