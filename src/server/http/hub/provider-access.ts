import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ProviderAnswer } from '../../../api/session.ts'
import { hashOf } from '../../../app/commands/hub/hub-tokens.ts'
import { type PeopleDoor, signInPerson } from '../../../app/commands/hub/sign-in-person.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { ProviderAccess } from '../access.ts'
import type { Hub } from './hub.ts'
import type { HubNames } from './hub-names.ts'
import type { OpenHubSession } from './hub-sessions.ts'
import { isSame } from './is-same.ts'
import { createFlows } from './provider-flow.ts'

/** The path to which the provider sends browsers back. Its page then requests a session. */
export const returnPath = '/signed-in'

interface ProviderAccessOptions {
  readonly hub: Hub
  readonly names: HubNames
  readonly people: PeopleDoor
  readonly openSession: OpenHubSession
  /** Throws DrydockError `too_many_failures`. */
  readonly refuseLimited: (c: Context) => void
  readonly failed: (c: Context, why: string) => void
}

/**
 * Signs browsers in with an OpenID provider. The state of a sign-in is in two halves as well: a
 * cookie that scripts cannot read, and a text that the page keeps. The returned page requests the
 * session itself. A URL alone therefore opens no session, and nobody can sign in another person's
 * browser.
 */
export function createProviderAccess(given: ProviderAccessOptions): ProviderAccess {
  const { hub, names, people, openSession, refuseLimited, failed } = given
  const { provider, sessionMs } = people
  const flows = createFlows(hub.now)
  const cookie = names.isSecure ? '__Host-drydock-hub-flow' : 'drydock-hub-flow'
  const options = { path: '/', httpOnly: true, sameSite: 'Strict', secure: names.isSecure } as const

  async function identify(c: Context, { flow: page, answer }: ProviderAnswer) {
    const flow = flows.open(getCookie(c, cookie) ?? '')
    if (flow === null || !isSame(flow.pageHash, hashOf(page))) throw notBegun()
    const identity = await provider.finish(flow, answer)
    flows.use(flow)
    return identity
  }

  return {
    label: new URL(provider.issuer).host,
    async start(c) {
      const origin = names.originAt(c.req.header('host') ?? '')
      const { begun, url } = await provider.begin(`${origin}${returnPath}`).catch((error: unknown) => {
        if (error instanceof DrydockError) hub.audit({ what: 'provider_failed', why: whyOf(error) })
        throw error
      })
      const page = randomBytes(32).toString('base64url')
      const sealed = flows.seal({ ...begun, pageHash: hashOf(page) })
      setCookie(c, cookie, sealed, { ...options, maxAge: limits.hub.flowMs / 1_000 })
      return { url, flow: page }
    },
    async finish(c, answer) {
      refuseLimited(c)
      deleteCookie(c, cookie, options)
      try {
        const identity = await identify(c, answer)
        const expiresAt = new Date(hub.now().getTime() + sessionMs).toISOString()
        return await openSession(c, {
          ...(await signInPerson(hub.rows, people, { ...identity, expiresAt })),
          expiresAt,
        })
      } catch (error) {
        if (error instanceof DrydockError) failed(c, whyOf(error))
        throw error
      }
    },
  }
}

/** The codes of an error and its causes, which contain no text from a client. */
function whyOf(error: DrydockError): string {
  const codes: string[] = [error.code]
  for (let cause = error.cause; cause instanceof Error && codes.length < 4; cause = cause.cause) {
    if ('code' in cause && /^[A-Z_]{1,60}$/.test(String(cause.code))) codes.push(String(cause.code))
  }
  return codes.join(' ')
}

function notBegun(): DrydockError {
  return new DrydockError('sign_in_failed', 'This sign-in was not begun here, was used already, or is too old.', {
    todo: 'Sign in again, in this tab.',
  })
}
