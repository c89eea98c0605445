import { readFile, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'

const runningSchema = z.object({ server: z.string(), port: z.int() })

/** The address and id of a running server, from the file in its state. */
export type RunningServer = z.infer<typeof runningSchema>

function fileOf(state: string): string {
  return join(state, 'dashboard.json')
}

/** Writes the file atomically, readable only by its user. */
export async function announceServer(state: string, running: RunningServer): Promise<void> {
  await writeWhole(fileOf(state), JSON.stringify(running), { mode: 0o600 })
}

/** Removes the file, unless another server has replaced it. */
export async function withdrawServer(state: string, { server }: RunningServer): Promise<void> {
  if ((await readAnnounced(state))?.server === server) await rm(fileOf(state), { force: true })
}

/** The running server of a state; null if there is none, even if an old file exists. */
export async function findServer(state: string): Promise<RunningServer | null> {
  const announced = await readAnnounced(state)
  return announced !== null && (await serverAt(announced.port)) === announced.server ? announced : null
}

async function readAnnounced(state: string): Promise<RunningServer | null> {
  const text = await readFile(fileOf(state), 'utf8').catch(() => null)
  // A file of another version counts as missing.
  return text === null ? null : (runningSchema.safeParse(parsedJson(text)).data ?? null)
}

/** Asks a port of this machine for the id of its server. */
function serverAt(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const nobody = () => resolve(null)
    const request = get({ host: '127.0.0.1', port, path: '/server', timeout: 2_000, agent: false }, (response) => {
      json(response).then((body) => resolve((body as { server?: string } | null)?.server ?? null), nobody)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', nobody)
  })
}
