import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { resultOf, type Worker, workerWorld } from './worker-world.ts'

/** No two runs of the step have the same output. */
const configOf = (step: string) =>
  JSON.stringify({
    verification: {
      prepare: [
        {
          name: 'install',
          command: 'mkdir deps && cat /proc/sys/kernel/random/uuid > deps/stamp',
          inputs: ['lock'],
          outputs: ['deps'],
          network: [],
        },
      ],
      steps: [{ name: 'test', command: `cat deps/stamp && ${step}`, timeout_sec: 120 }],
    },
  })

/** A hub whose workers share a folder for blobs. */
async function worldWith(lanes: Lanes, step: string) {
  const files = { lock: 'one\n', '.drydock/config.json': configOf(step) }
  const world = await workerWorld(lanes, { files })
  const place = join(world.fixture.folder, 'blobs')
  await mkdir(place)
  await configureUser(world.fixture, { state: { blobs: { folder: place } } })
  return { world, place }
}

async function layerOf({ state }: Worker): Promise<string> {
  const folder = join(state, 'artifacts/cache/layers')
  const names = await readdir(folder)
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  return join(folder, names[0] ?? '')
}

const stamp = async (worker: Worker) => readFile(join(await layerOf(worker), 'tree/deps/stamp'), 'utf8')

test('a dependency layer that one worker has installed for a base commit is fetched by another', async () => {
  const { world } = await worldWith(greenLanes, 'grep -q new value.txt')
  const one = await world.worker('one', '--coders', '1')
  expect(await resultOf(world, await world.task('say new'))).toMatchObject({ status: 'DONE' })
  // At its end the worker has uploaded everything.
  expect(await world.fixture.drydock('hub', 'drain', 'one')).toMatchObject({ exitCode: 0 })

  const two = await world.worker('two', '--coders', '1')
  expect(await resultOf(world, await world.task('say new again'))).toMatchObject({ status: 'DONE' })
  expect(await stamp(two)).toBe(await stamp(one))
  // The output of a step that makes a layer is stored next to the layer.
  expect(existsSync(join(await layerOf(one), 'log'))).toBe(true)
  expect(existsSync(join(await layerOf(two), 'log'))).toBe(false)
})

test('if two workers install the same at once, one shares it with others', async () => {
  const lanes = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }
  const { world, place } = await worldWith(lanes, 'test -f value.txt')
  const workers = [await world.worker('one', '--coders', '1'), await world.worker('two', '--coders', '1')]
  expect(await resultOf(world, await world.build())).toMatchObject({ status: 'DONE' })
  expect(await world.fixture.drydock('hub', 'drain', '--all')).toMatchObject({ exitCode: 0 })
  const folders = (await readdir(place, { recursive: true })).filter((name) => /\/layer-[0-9a-f]{32}$/.test(name))
  expect(folders).toHaveLength(1)
  for (const worker of workers) expect(await stamp(worker)).not.toBe('')
})
