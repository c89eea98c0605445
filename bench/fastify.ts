import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { makeVerifierWorld } from '../test/gate/verifier-world.ts'
import type { GroupFigures } from './benchmarks.ts'
import { now } from './now.ts'

/**
 * Folder of fastify's package from the registry, which includes its tests, with the packages that
 * these need. Without it nothing is measured.
 */
const folder = process.env.DRYDOCK_BENCH_FASTIFY ?? ''
const parts = ['build', 'lib', 'test', 'fastify.js', 'package.json']

/** Tests that cannot run in a sandbox are left out, also for the plain command. */
const command = `'${process.execPath}' --test --test-reporter=spec test/*.test.js test/internals/*.test.js`

/**
 * Measures full assurance for a change of one module with a test, among the tests of fastify, and
 * the same command by itself: for the first change on a base, and for the next one.
 */
export async function measureFastify(): Promise<GroupFigures> {
  const measured: Record<string, number | null> = {}
  const names = ['new base', 'next change'] as const
  if (!existsSync(join(folder, 'node_modules/undici'))) {
    for (const name of names) measured[`full assurance, fastify, ${name}`] = null
    return measured as GroupFigures
  }
  const files = { '.gitignore': 'node_modules\n', ...Object.fromEntries(parts.flatMap((part) => [...textsOf(part)])) }
  const world = await makeVerifierWorld(files)
  try {
    symlinkSync(join(folder, 'node_modules'), join(world.repository, 'node_modules'))
    const start = now()
    await promisify(execFile)('sh', ['-c', command], { cwd: world.repository, maxBuffer: 64 * 1024 ** 2 })
    const plain = now() - start
    for (const [i, name] of names.entries()) {
      const commit = await world.commitOf(changeOf(files, i + 1), world.tip)
      const begin = now()
      const { status, manifest, tail_log } = await world.ask({
        steps: [{ command, timeoutSec: 1_800 }],
        purpose: 'change',
        assurance: 'full',
        atOnce: 2,
        commit,
        readOnlyPaths: [folder, dirname(process.execPath)],
        prepare: [
          {
            inputs: ['package.json'],
            outputs: ['node_modules'],
            command: `cp -r '${join(folder, 'node_modules')}' node_modules`,
          },
        ],
      })
      measured[`full assurance, fastify, ${name}`] = (now() - begin) / plain
      if (status !== 'PASS' || manifest?.integrity?.proof?.status !== 'proven')
        throw new Error(`${status}: ${JSON.stringify(manifest?.integrity)}\n${tail_log}`)
    }
  } finally {
    await world.close()
  }
  return measured as GroupFigures
}

function* textsOf(part: string): Generator<readonly [path: string, text: string]> {
  const entries = part.includes('.')
    ? [part]
    : readdirSync(join(folder, part), { recursive: true, withFileTypes: true }).flatMap((each) =>
        each.isFile() ? [join(each.parentPath, each.name).slice(folder.length + 1)] : [],
      )
  for (const path of entries) yield [path, readFileSync(join(folder, path), 'utf8')]
}

/** Adds an empty set with a size, and a test of it. */
function changeOf(files: Readonly<Record<string, string>>, size: number): Readonly<Record<string, string>> {
  const [source, tests] = ['lib/noop-set.js', 'test/noop-set.test.js']
  const added = `\ntest('has a size', (t) => {\n  t.assert.strictEqual(noopSet().size(), ${size})\n})\n`
  return {
    [source]: (files[source] ?? '').replace('delete () {},', `delete () {},\n    size () { return ${size} },`),
    [tests]: `${files[tests]}${added}`,
  }
}
