import { paths } from 'virtual:operations'
import type { OutputOf, RequestOf } from '../../src/api/route.ts'
import type { routes } from '../../src/api/routes.ts'
import type { FreshToken, SessionKey, TokenHeader } from '../../src/api/session.ts'
import { post } from './client.ts'
import { RequestFailed } from './reach.ts'
import { currentSession } from './session.ts'

type Routes = typeof routes

/** The operations that act, which are POST requests. */
export type OperationName = {
  [Name in keyof Routes]: Routes[Name]['method'] extends 'post' ? Name : never
}[keyof Routes]

export type ActInput<Name extends OperationName> = RequestOf<Routes[Name]>
export type ActOutput<Name extends OperationName> = OutputOf<Routes[Name]>

/** Runs an operation for the person. `input` combines the parts of the path and the body. */
export async function act<Name extends OperationName>(name: Name, input: ActInput<Name>): Promise<ActOutput<Name>> {
  const fields: Readonly<Record<string, unknown>> = { ...input }
  const parts = new Set<string>()
  const path = (paths[name] ?? '').replaceAll(/:(\w+)/g, (_, part: string) => {
    parts.add(part)
    return encodeURIComponent(String(fields[part]))
  })
  const body = Object.fromEntries(Object.entries(fields).filter(([field]) => !parts.has(field)))
  try {
    return await send(path, body)
  } catch (error) {
    if (!(error instanceof RequestFailed && error.code === 'not_fresh')) throw error
    kept = null
    return send(path, body)
  }
}

/** Milliseconds before its expiry at which a token is no longer used. */
const spareMs = 10_000

/** The token of the last request. */
let kept: (FreshToken & { readonly key: string }) | null = null

async function send<Answer>(path: string, body: object): Promise<Answer> {
  const key = currentSession()?.key ?? ''
  if (kept === null || kept.key !== key || Date.parse(kept.expires_at) - Date.now() < spareMs) {
    kept = { ...(await post<FreshToken>('/api/session/token', { key } satisfies SessionKey)), key }
  }
  return post(path, body, { 'Drydock-Token': kept.token } satisfies Readonly<Record<TokenHeader, string>>)
}
