import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Notice } from '../../../src/domain/notification/notice.ts'
import type { Fixture } from './fixture.ts'

export interface Hook {
  readonly url: string
  /** All posts with their idempotency keys, including refused ones. */
  readonly posts: readonly { readonly key: unknown; readonly notice: Notice }[]
  /** Sets the answer from now on, which may come later; null for no answer at all. */
  answer(status: number | null | Promise<number>): void
  /** Called with each post before it is answered. */
  onPost(listener: () => void): void
}

/** A real server that receives posts. */
export async function startHook(): Promise<Hook> {
  const posts: { key: unknown; notice: Notice }[] = []
  let status: number | null | Promise<number> = 200
  let listener = () => {}
  const server = createServer(async (request, response) => {
    posts.push({ key: request.headers['idempotency-key'], notice: (await json(request)) as Notice })
    listener()
    const answer = await status
    if (answer !== null) response.writeHead(answer).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/path-that-is-a-key`,
    posts,
    answer(next) {
      status = next
    },
    onPost(next) {
      listener = next
    },
  }
}

export async function configureUser({ env }: Fixture, config: object): Promise<void> {
  const folder = join(env.XDG_CONFIG_HOME ?? '', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
}
