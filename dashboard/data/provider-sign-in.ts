import type { OpenedSession, ProviderAnswer, StartedSignIn } from '../../src/api/session.ts'
import { post } from './client.ts'
import { keepSession } from './session.ts'

/** Where the provider sends the browser back to. */
const returnPath = '/signed-in'

/** Belongs to the tab, and outlives its way to the provider and back. */
const place = 'drydock.sign-in'

interface Kept {
  readonly flow: string
  /** Where in the dashboard the person was. */
  readonly hash: string
}

let failure: unknown = null

/** Why the last sign-in with the provider has failed; null when none has. */
export function signInFailure(): unknown {
  return failure
}

/** Leaves the page for the provider's. */
export async function beginProviderSignIn(): Promise<void> {
  failure = null
  const { url, flow } = await post<StartedSignIn>('/session/provider', {})
  sessionStorage.setItem(place, JSON.stringify({ flow, hash: window.location.hash } satisfies Kept))
  window.location.assign(url)
}

/**
 * Takes up a sign-in that comes back from the provider. What it has brought leaves the address and
 * the history before anything else.
 */
export async function finishProviderSignIn(): Promise<void> {
  if (window.location.pathname !== returnPath) return
  const answer = window.location.search.slice(1)
  window.history.replaceState(null, '', '/#/')
  try {
    const kept = takeKept()
    if (kept === null) throw new Error('This sign-in was not begun in this tab, so it was not finished.')
    const body = { flow: kept.flow, answer } satisfies ProviderAnswer
    if (kept.hash !== '') window.history.replaceState(null, '', `/${kept.hash}`)
    keepSession(await post<OpenedSession>('/session/provider/answer', body))
  } catch (error) {
    failure = error
  }
}

/** Good for one time. */
function takeKept(): Kept | null {
  const text = sessionStorage.getItem(place)
  sessionStorage.removeItem(place)
  return text === null ? null : (JSON.parse(text) as Kept)
}
