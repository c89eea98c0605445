import type { OpenedSession, ProviderAnswer, StartedSignIn } from '../../src/api/session.ts'
import { post } from './client.ts'
import { keepSession } from './session.ts'

/** The page to which the provider redirects the browser. */
const returnPath = '/signed-in'

/** Belongs to the tab, and survives the visit to the provider's page. */
const place = 'drydock.sign-in'

interface StoredSignIn {
  readonly flow: string
  /** The page of the dashboard that the person came from. */
  readonly hash: string
}

let failure: unknown = null

/** The error of the last sign-in through the provider; null if there was none. */
export function signInFailure(): unknown {
  return failure
}

/** Goes to the provider's page. */
export async function beginProviderSignIn(): Promise<void> {
  failure = null
  const { url, flow } = await post<StartedSignIn>('/session/provider', {})
  sessionStorage.setItem(place, JSON.stringify({ flow, hash: window.location.hash } satisfies StoredSignIn))
  window.location.assign(url)
}

/**
 * Completes a sign-in when the provider redirects back. The provider's answer is removed from the
 * address and the history before anything else.
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

/** Returns the stored sign-in and removes it, since it is valid only once. */
function takeKept(): StoredSignIn | null {
  const text = sessionStorage.getItem(place)
  sessionStorage.removeItem(place)
  return text === null ? null : (JSON.parse(text) as StoredSignIn)
}
