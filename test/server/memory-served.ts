import { onTestFinished } from 'vitest'
import type { Drydock } from '../../src/app/drydock.ts'
import type { WorkOptions } from '../../src/app/work-options.ts'
import type { MemoryFixture } from '../world/fixture.ts'
import { type Page, signIn } from './browser.ts'
import { createMemoryWorld, type MemoryWorld, type ServedOptions } from './memory-server.ts'

/** A Drydock in memory, its server without a socket, and a signed-in page. */
export interface MemoryServer extends Pick<MemoryWorld, 'own' | 'close'> {
  readonly fixture: MemoryFixture
  readonly world: MemoryWorld
  readonly drydock: Drydock
  readonly port: number
  readonly page: Page
}

export async function servedOf(world: MemoryWorld, options: WorkOptions = {}): Promise<MemoryServer> {
  const { fixture, drydock, own, close } = world
  const { url, link } = await world.serve(options)
  return { fixture, world, drydock, own, close, port: Number(new URL(url).port), page: await signIn(link) }
}

/** A served Drydock that ends with the test, and works on all commands. */
export async function serveWork({
  lanes,
  ...options
}: ServedOptions & {
  readonly lanes: Parameters<MemoryFixture['replay']>[0]
}): Promise<MemoryServer> {
  const world = await createMemoryWorld(options)
  onTestFinished(() => world.close())
  const served = await servedOf(world, { model: await world.fixture.replay(lanes) })
  await world.own()
  return served
}
