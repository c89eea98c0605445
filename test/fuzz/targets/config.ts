import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { loadUserConfig, resolveConfig } from '../../../src/config/load.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import { expectClearError } from '../clear-error.ts'
import { damaged, mangled, nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly of: 'repository' | 'user'
  readonly text: string
  /** A key that neither file has, inserted into an object of the file. */
  readonly planted: string | null
}

const repository = {
  orchestrator: { max_coders: 3 },
  architect: { scoping_soft_limit: 8, scoping_hard_limit: 16, tool_timeout_sec: 30 },
  editor: { planning_iterations: 10 },
  verification: {
    prepare: [
      {
        name: 'install',
        command: 'npm ci',
        inputs: ['package-lock.json'],
        outputs: ['node_modules'],
        network: ['registry'],
      },
    ],
    steps: [{ name: 'test', command: 'npm test', timeout_sec: 300, junit: 'logs/junit.xml' }],
    writes: 'deny',
    allow_failing: ['a > b'],
  },
  budget: { run_usd: 20, story_usd: 5, run_tokens: 20_000_000 },
}
const user = {
  models: { default: 'anthropic:x', editor: 'mine:y' },
  providers: { mine: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MINE' } },
  repositories: { '/repository': repository },
  sandbox: { backend: 'bubblewrap', read_only_paths: ['~/x'] },
  prices: { 'mine:y': { input: 1, output: 2 } },
  notify: { webhook: 'https://example.com/a', command: ['say'], on: ['escalation'] },
  receipts: { trusted_keys: ['/a.pem'] },
}
const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined'

const brokenOf = (of: Input['of'], whole: object): fc.Arbitrary<Input> =>
  fc.record({
    of: fc.constant(of),
    text: fc.oneof(damaged(fc.constant(whole)).map(asText), mangled(fc.constant(asText(whole))), nasty),
    planted: fc.constant(null),
  })

const plantedIn = (of: Input['of'], whole: Readonly<Record<string, object>>): fc.Arbitrary<Input> =>
  fc
    .record({
      folder: fc.constantFrom(...Object.keys(whole).filter((name) => name !== 'repositories')),
      key: fc.stringMatching(/^z[a-z_]{1,12}$/),
    })
    .map(({ folder, key }) => ({
      of,
      planted: key,
      text: asText({ ...whole, [folder]: { ...whole[folder], [key]: { [key]: 1 } } }),
    }))

const inputs: fc.Arbitrary<Input> = fc.oneof(
  { weight: 4, arbitrary: brokenOf('repository', repository) },
  { weight: 4, arbitrary: brokenOf('user', user) },
  plantedIn('repository', repository),
  plantedIn('user', user),
)

/** Readers of both configuration files, with any text. */
export const config: FuzzTarget<Input> = {
  name: 'config',
  async open() {
    const home = mkdtempSync(join(tmpdir(), 'drydock-fuzz-'))
    const userFile = join(home, 'drydock', 'config.json')
    mkdirSync(join(home, 'drydock'))
    const env = { HOME: home, XDG_CONFIG_HOME: home }
    async function load({ of, text }: Input): Promise<void> {
      writeFileSync(userFile, of === 'user' ? text : '{}')
      const own = await loadUserConfig(env)
      const repositoryText = of === 'repository' ? text : null
      await resolveConfig({ repositoryText, user: own, repositoryPath: '/repository', configFile: null })
    }
    return {
      inputs,
      async check(input) {
        const error = await load(input).then(
          () => null,
          (thrown: unknown) => thrown,
        )
        if (error === null) {
          expect(input.planted).toBe(null)
          return
        }
        if (!(error instanceof DrydockError)) throw error
        expect(['bad_config', 'no_config', 'no_steps']).toContain(error.code)
        const file = input.of === 'user' ? userFile : '.drydock/config.json'
        expectClearError(error.message, error.code === 'bad_config' ? [file, input.planted ?? ''] : [])
        if (error.code === 'bad_config') checkLines(error.message, file)
        expectClearError(error.todo)
      },
      async close() {
        rmSync(home, { recursive: true })
      },
    }
  },
}

/** Each line names the file and a key or place, followed by the fault. */
function checkLines(message: string, file: string): void {
  for (const line of message.split('\n')) {
    expect(line.startsWith(`${file}: `)).toBe(true)
    expect(line.slice(file.length + 2)).toMatch(/^(?:and \d+ more|[^:].*: \S.*\S)$/)
    expect(line).not.toMatch(/\p{Cc}/u)
  }
}
