import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import type { Lanes } from './crew.ts'
import { createFixture, type Fixture, type FixtureOptions } from './fixture.ts'
import { fill, laneOf } from './wire-crew.ts'

/** A call with its answer costs as many millionths of a dollar as it has tokens. */
export const prices = { 'wire:crew': { input: 1, output: 1 } }

export interface BudgetWorld<Made extends Fixture = Fixture> {
  readonly fixture: Made
  readonly server: WireServer
  readonly model: string
  /** Lanes of the received requests, in order. */
  heard(): readonly string[]
  remove(): Promise<void>
}

export interface BudgetOptions {
  /** Further settings in the user's own file. */
  readonly user?: object
  /** Changes a turn before it is answered, and may delay it. */
  readonly answer?: (
    turn: WireTurn,
    at: { readonly lane: string; readonly number: number },
  ) => WireTurn | Promise<WireTurn>
}

/** A fixture whose user has known prices and a provider that plays lanes. */
export async function createBudgetWorld(
  lanes: Lanes,
  { user, answer, ...more }: BudgetOptions & FixtureOptions = {},
): Promise<BudgetWorld> {
  return withBudget(await createFixture(more), lanes, { ...(user && { user }), ...(answer && { answer }) })
}

/** Adds the provider and the prices to a fixture. */
export async function withBudget<Made extends Fixture>(
  fixture: Made,
  lanes: Lanes,
  { user = {}, answer = (turn) => turn }: BudgetOptions,
): Promise<BudgetWorld<Made>> {
  const heard: string[] = []
  const server = await startWireServer((request) => {
    const lane = laneOf(request)
    const number = heard.push(lane)
    const turn = request.body.messages.filter(({ role }: { role: string }) => role === 'assistant').length
    const scripted = lanes[lane]?.[turn] as WireTurn | undefined
    if (scripted === undefined) return { refusal: { status: 400, body: `no turn ${turn} of ${lane}` } }
    return answer(fill(scripted, request.body.messages[1].content), { lane, number })
  })
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const provider = { kind: 'openai-compatible', baseURL: `${server.origin}/v1` }
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { wire: provider }, prices, ...user }))
  return {
    fixture,
    server,
    model: 'wire:crew',
    heard: () => heard,
    async remove() {
      await server.close()
      await fixture.remove()
    },
  }
}

/** The turns with this usage reported by the provider. */
export function using(lanes: Lanes, usage: WireTurn['usage']): Lanes {
  return Object.fromEntries(
    Object.entries(lanes).map(([lane, turns]) => [lane, turns.map((turn) => ({ usage, ...turn }))]),
  )
}

/** Writes a file of stories for `run --plan`. */
export async function writePlanFile({ folder }: Fixture, stories: readonly object[]): Promise<string> {
  const file = join(folder, 'plan.json')
  await writeFile(file, JSON.stringify({ stories }))
  return file
}
