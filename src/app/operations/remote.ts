import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { InputOf, OutputOf, Route } from '../../api/route.ts'
import { type RouteName, routes } from '../../api/routes.ts'
import type { HubClient } from '../../ports/hub/hub-client.ts'

/** All that a hub does and tells, by the names of its routes. */
export type RemoteOperations = {
  readonly [Name in RouteName]: (input: InputOf<(typeof routes)[Name]>) => Promise<OutputOf<(typeof routes)[Name]>>
}

/** Each rejects with the DrydockErrors of the hub, and of the way to it. */
export function remoteOperations({ ask }: Pick<HubClient, 'ask'>, key?: string): RemoteOperations {
  return Object.fromEntries(
    Object.entries<Route>(routes).map(([name, route]) => [
      name,
      (input: Readonly<Record<string, unknown>>) => {
        const { method, path, body } = requestFor(route, input)
        // A command that is sent again, since its answer was lost, is the same command.
        const keyed = route.status === 202 ? { key: key ?? randomUUID() } : {}
        return ask({ method, path, ...(body && { body: JSON.stringify(body) }), ...keyed })
      },
    ]),
  ) as unknown as RemoteOperations
}

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
}

/** The request that carries an input. */
export function requestFor(route: Route, input: Readonly<Record<string, unknown>>): Request {
  const parts = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !parts.includes(name)))
  if (route.method === 'post') return { method: 'POST', path, body: withoutDefaults(route.body, rest) }
  const query = new URLSearchParams(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString()
  return { method: 'GET', path: query === '' ? path : `${path}?${query}` }
}

/** A field that says what its absence says is left out: an older hub may not know it. */
function withoutDefaults(schema: z.ZodType | undefined, given: Readonly<Record<string, unknown>>): object {
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => {
      const absent = (shape[name] as z.ZodType | undefined)?.safeParse(undefined)
      return value !== undefined && !(absent?.success && isDeepStrictEqual(absent.data, value))
    }),
  )
}
