import type { ForgeAccess } from '../../../domain/forge/forge-access.ts'
import { limits } from '../../../domain/limits.ts'
import { tokenOf } from '../token-credentials.ts'
import { createTransport, type Transport } from '../transport.ts'

/** Requests to the API of Gitea and Forgejo, below one repository. */
export interface GiteaClient {
  get<T>(path: string, query?: Query): Promise<T>
  /** All pages of a list, up to `limits.forge.pages`. */
  list<T>(path: string, query?: Query): Promise<readonly T[]>
  send<T>(method: 'POST' | 'PATCH', path: string, body: object): Promise<T>
  text(path: string): Promise<string>
}

type Query = Readonly<Record<string, string | number>>

export function createClient({ name, url, project, credentials }: ForgeAccess): GiteaClient {
  const api = `${url.replace(/\/+$/, '')}/api/v1`
  const transport = createTransport({ name, api })
  const headers = { authorization: `token ${tokenOf({ credentials })}`, accept: 'application/json' }
  const at = (path: string, query: Query = {}) => {
    const asked = new URL(`${api}/repos/${project}${path}`)
    for (const [key, value] of Object.entries(query)) asked.searchParams.set(key, String(value))
    return asked
  }
  const read = async <T>(...given: Parameters<Transport>) => {
    const body = await (await transport(...given)).text()
    return (body === '' ? null : JSON.parse(body)) as T
  }
  const get = <T>(path: string, query?: Query) => read<T>(at(path, query), { headers })
  return {
    get,
    async list<T>(path: string, query: Query = {}) {
      const all: T[] = []
      for (let page = 1; page <= limits.forge.pages; page += 1) {
        const found = (await get<readonly T[] | null>(path, { ...query, page, limit: limits.forge.pageSize })) ?? []
        all.push(...found)
        // A server may use smaller pages than requested, so only an empty page is the end.
        if (found.length === 0) break
      }
      return all
    },
    send: (method, path, body) =>
      read(at(path), {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    text: async (path) => (await transport(at(path), { headers, leaves: true })).text(),
  }
}
