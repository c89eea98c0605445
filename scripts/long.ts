import { spawnSync } from 'node:child_process'

/**
 * `npm run test:long`: the tests that take minutes, part by part; `npm run test:long -- gate hub`
 * runs only these two. Words after a second `--` go to the runner of each part, such as the name of
 * a file.
 */

const vitest = (project: string) => ['vitest', 'run', '--config', 'vitest.long.config.ts', '--project', project]

/** The parts, in the order in which they run. */
const parts: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['scenarios', 'gate', 'hub', 'postgres', 'browser', 'contracts', 'repositories', 'rest', 'storm', 'agents'].map(
      (name) => [name, vitest(name)],
    ),
  ),
  hosts: ['node', 'test/hub/hosts/enter.ts'],
  deploy: ['node', 'test/deploy/enter.ts'],
  coverage: ['vitest', 'run', '--coverage', '--project', 'in-process'],
}

/** The exit code of a part that this machine cannot run; the part has printed the reason. */
const cannotRun = 2

const given = process.argv.slice(2)
const separator = given.indexOf('--')
const names = separator < 0 ? given : given.slice(0, separator)
const more = separator < 0 ? [] : given.slice(separator + 1)
const unknown = names.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts are: ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}

if (process.env.DRYDOCK_SCENARIO_SEED === undefined) process.env.DRYDOCK_SCENARIO_SEED = String(Date.now() % 100_000)

const ended = (names.length > 0 ? names : Object.keys(parts)).map((name) => {
  const began = performance.now()
  const [program = '', ...args] = parts[name] ?? []
  if (name === 'scenarios')
    console.log(`One file of scenarios in five, drawn by DRYDOCK_SCENARIO_SEED=${process.env.DRYDOCK_SCENARIO_SEED}`)
  const { status } = spawnSync(program, [...args, ...more], { stdio: 'inherit' })
  const end = status === 0 ? 'green' : status === cannotRun ? 'skipped, as said above' : 'RED'
  return { name, end, seconds: Math.round((performance.now() - began) / 1_000) }
})
for (const { name, end, seconds } of ended) console.log(`${name.padEnd(14)} ${String(seconds).padStart(5)} s  ${end}`)
process.exitCode = ended.some(({ end }) => end === 'RED') ? 1 : 0
