import { createHash } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Place } from '../../ports/forge.ts'
import { createOnce, noteWith, shown } from './create-once.ts'
import type { RunNow } from './run-now.ts'
import { statusText } from './status-text.ts'
import { placeOf, type Watching } from './watching.ts'

interface Telling {
  readonly place: Place
  readonly now: RunNow
  readonly problem: string | null
}

/**
 * Reports the state of a Run in one comment, which is edited. A comment that somebody deleted is
 * not written again.
 */
export async function tellStatus(watching: Watching, { place, now, problem }: Telling): Promise<void> {
  const { drydock, forge, calls, say } = watching
  const run = now.id
  const text = drydock.redact(statusText({ ...now, problem, unused: unusedIn(now) }))
  const digest = createHash('sha256').update(text).digest('hex')
  const key = `comment/${placeOf(forge)}${place.type}/${place.number}/${run}`
  let sent = false
  const own = await createOnce(forge, calls, {
    key,
    run,
    call: 'comment',
    place,
    send: async (mark) => {
      const id = await forge.comment(place, `${text}\n\n${mark}`)
      sent = true
      return id
    },
  })
  if (sent) {
    await noteWith(calls, key, own, digest)
    say({ what: 'comment', text: `Commented on ${place.type} ${place.number}.`, run, number: place.number })
  } else if (own.id !== null && own.noted !== digest) {
    const isThere = await edit(watching, { place, id: own.id, text: `${text}\n\n${shown(own.mark)}` })
    await noteWith(calls, key, isThere ? own : { ...own, id: null }, digest)
  }
}

interface Editing {
  readonly place: Place
  readonly id: string
  readonly text: string
}

async function edit({ forge }: Watching, { place, id, text }: Editing): Promise<boolean> {
  try {
    await forge.comment({ ...place, edits: id }, text)
    return true
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'forge_not_found') return false
    throw error
  }
}

function unusedIn({ calls }: RunNow): readonly { readonly author: string; readonly why: string }[] {
  return calls.flatMap(({ call, request, answer }) => {
    if (call !== 'hearAnswer') return []
    const { author } = request as { readonly author: string }
    const { refused } = (answer ?? {}) as { readonly refused?: string }
    return refused === undefined ? [] : [{ author, why: refused }]
  })
}
