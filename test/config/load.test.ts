import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ConfigSources, loadUserConfig, parseRepositoryConfig, resolveConfig } from '../../src/config/load.ts'
import { repositorySchema, userOnlyKeys } from '../../src/config/schema.ts'
import { DrydockError, type ErrorCode } from '../../src/domain/drydock-error.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'drydock-config-'))
})

afterEach(async () => {
  await rm(home, { recursive: true, force: true })
})

const file = '.drydock/config.json'
const withSteps = { verification: { steps: [{ name: 'test', command: 'npm test' }] } }

async function user(config?: unknown) {
  const folder = join(home, '.config', 'drydock')
  await mkdir(folder, { recursive: true })
  if (config !== undefined) await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  return loadUserConfig({ HOME: home })
}

async function resolved(sources: Partial<ConfigSources> & { config?: unknown }) {
  const { config, ...rest } = sources
  return resolveConfig({
    repositoryText: config === undefined ? null : JSON.stringify(config),
    user: await user(),
    repositoryPath: '/repository',
    configFile: null,
    ...rest,
  })
}

async function failure(work: () => unknown): Promise<{ code: ErrorCode; message: string; todo: string }> {
  try {
    await work()
  } catch (error) {
    if (error instanceof DrydockError) return { code: error.code, message: error.message, todo: error.todo }
    throw error
  }
  throw new Error('nothing was thrown')
}

describe("the user's file", () => {
  test('is not read where everybody could have written it, or put another in its place', async () => {
    await user({ notify: { command: ['evil'] } })
    const folder = join(home, '.config', 'drydock')
    for (const [path, open, own] of [
      [join(folder, 'config.json'), 0o666, 0o664],
      [folder, 0o777, 0o775],
    ] as const) {
      await chmod(path, open)
      expect(await failure(() => loadUserConfig({ HOME: home }))).toEqual({
        code: 'bad_config',
        message: `Everybody can change ${path}, which decides what runs as you.`,
        todo: `Run: chmod o-w "${path}"`,
      })
      await chmod(path, own)
      expect((await loadUserConfig({ HOME: home })).notify.command).toEqual(['evil'])
    }
  })
})

describe("the repository's file", () => {
  test('needs only steps; everything else has its default', async () => {
    expect(await resolved({ config: withSteps })).toEqual({
      source: file,
      maxCoders: 3,
      dollarsNamed: false,
      toolTimeoutSec: 30,
      planningIterations: 160,
      codingIterations: 400,
      turnsWithoutProgress: 25,
      scoping: { soft: 8, hard: 16 },
      request: { soft: 8, hard: 16 },
      reviewRounds: 4,
      acceptance: 'crew',
      acceptanceFiles: 'keep',
      prepare: [],
      package: '',
      allowFailing: [],
      allowUpdating: [],
      assurance: 'full',
      assuranceBudget: 1,
      writes: 'deny',
      steps: [{ name: 'test', command: 'npm test', timeoutSec: 300, junit: null }],
      budget: { runUsd: 20, storyUsd: 5, runTokens: 20_000_000, storyTokens: 15_000_000 },
      target: null,
      sandbox: { readOnlyPaths: [] },
      instructions: {},
    })
  })

  test('is parsed with all its keys', () => {
    const config = {
      $schema: './config.schema.json',
      orchestrator: { max_coders: 3 },
      architect: {
        scoping_soft_limit: 8,
        scoping_hard_limit: 16,
        request_soft_limit: 8,
        request_hard_limit: 16,
        tool_timeout_sec: 30,
      },
      editor: { planning_iterations: 160, coding_iterations: 400, turns_without_progress: 25, review_rounds: 4 },
      verification: {
        prepare: [
          {
            name: 'install',
            command: 'npm ci',
            inputs: ['package-lock.json'],
            outputs: ['node_modules'],
            network: ['registry'],
            timeout_sec: 900,
          },
        ],
        steps: [
          { name: 'test', command: 'npm test', timeout_sec: 300, junit: 'logs/junit.xml', services: ['database'] },
        ],
        services: [
          {
            name: 'database',
            command: 'database --foreground',
            ports: [5432],
            ready: { command: 'database --ping' },
            env: { DATABASE_URL: 'database://127.0.0.1:5432' },
            timeout_sec: 60,
          },
        ],
        allow_failing: [],
        allow_updating: [],
        assurance: 'full',
        assurance_budget: 1,
        writes: 'deny',
      },
      budget: { run_usd: 20, story_usd: 5, run_tokens: 20_000_000 },
      acceptance: 'always',
      acceptance_files: 'add',
    }
    expect(parseRepositoryConfig(JSON.stringify(config), file)).toEqual(config)
  })

  test('has every unknown key named, with its path and the file', async () => {
    const config = { verification: { steps: [{ name: 'test', command: 'npm test', timeout: 3 }] }, verfication: {} }
    expect(await failure(() => parseRepositoryConfig(JSON.stringify(config), file))).toEqual({
      code: 'bad_config',
      message: `${file}: verification.steps[0].timeout: unknown key\n${file}: verfication: unknown key`,
      todo: 'Correct these keys. config.schema.json and user-config.schema.json in the drydock package list all keys.',
    })
  })

  test('names an unknown key wherever it is', async () => {
    const places = ['orchestrator', 'architect', 'editor', 'verification', 'budget'] as const
    const known = new Set(places.flatMap((place) => ['$schema', place, ...Object.keys(shapeOf(place))]))
    const key = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,30}$/).filter((name) => !known.has(name))
    await fc.assert(
      fc.asyncProperty(key, fc.jsonValue(), fc.constantFrom(null, ...places), async (name, value, place) => {
        const bad = Object.fromEntries([[name, value]])
        const config = place === null ? { ...withSteps, ...bad } : { [place]: bad }
        const { code, message } = await failure(() => parseRepositoryConfig(JSON.stringify(config), file))
        expect(code).toBe('bad_config')
        expect(message).toContain(`${file}: ${place === null ? '' : `${place}.`}${name}: `)
      }),
    )
  })

  test('survives being written and read again', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/)
    const step = fc.record({
      name,
      command: fc.stringMatching(/^\S.{0,20}\S$/),
      timeout_sec: fc.integer({ min: 1, max: 9 }),
    })
    const config = fc.record(
      {
        orchestrator: fc.record({ max_coders: fc.integer({ min: 1, max: 999 }) }, { requiredKeys: [] }),
        verification: fc.record({ steps: fc.uniqueArray(step, { selector: (one) => one.name }) }),
        budget: fc.record({ run_usd: fc.integer({ min: 0 }), run_tokens: fc.nat() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(config, (value) => {
        const once = parseRepositoryConfig(JSON.stringify(value), file)
        expect(once).toMatchObject(value)
        expect(parseRepositoryConfig(JSON.stringify(once), file)).toEqual(once)
      }),
    )
  })

  test.each(userOnlyKeys)('cannot set %s, and is told where it belongs', async (key) => {
    const { message } = await failure(() => parseRepositoryConfig(JSON.stringify({ ...withSteps, [key]: {} }), file))
    expect(message).toBe(
      `${file}: ${key}: only the user may set this: it belongs into $XDG_CONFIG_HOME/drydock/config.json (~/.config/drydock/config.json)`,
    )
  })

  test.each([
    ['a name that is no file name', { name: '../x', command: 'true' }, 'steps[0].name: may hold only'],
    ['an empty command', { name: 'x', command: ' ' }, 'steps[0].command: '],
    ['a timeout of nothing', { name: 'x', command: 'true', timeout_sec: 0 }, 'steps[0].timeout_sec: '],
    ['a report outside', { name: 'x', command: 'true', junit: 'a/../../b' }, 'steps[0].junit: must be relative'],
  ])('refuses %s', async (_what, step, expected) => {
    const text = JSON.stringify({ verification: { steps: [step] } })
    expect((await failure(() => parseRepositoryConfig(text, file))).message).toContain(
      `${file}: verification.${expected}`,
    )
  })

  test('refuses two steps of one name', async () => {
    const step = { name: 'test', command: 'true' }
    const text = JSON.stringify({ verification: { steps: [step, step] } })
    const { message } = await failure(() => parseRepositoryConfig(text, file))
    expect(message).toBe(`${file}: verification.steps: two steps have the same name`)
  })

  test.each([
    [{ scoping_soft_limit: 20 }, ['scoping_hard_limit: is 16, and must be over scoping_soft_limit, which is 20']],
    [{ request_hard_limit: 8 }, ['request_hard_limit: is 8, and must be over request_soft_limit, which is 8']],
    [
      { scoping_soft_limit: 3, scoping_hard_limit: 2, request_hard_limit: 1 },
      [
        'scoping_hard_limit: is 2, and must be over scoping_soft_limit, which is 3',
        'request_hard_limit: is 1, and must be over request_soft_limit, which is 8',
      ],
    ],
  ])('refuses limits of the architect of which the hard one is not over the soft one: %j', async (architect, lines) => {
    const { code, message } = await failure(() => parseRepositoryConfig(JSON.stringify({ architect }), file))
    expect(code).toBe('bad_config')
    expect(message).toBe(lines.map((line) => `${file}: architect.${line}`).join('\n'))
  })

  test('takes a hard limit that is one over its soft limit', () => {
    const architect = { scoping_soft_limit: 1, scoping_hard_limit: 2 }
    expect(parseRepositoryConfig(JSON.stringify({ architect }), file).architect).toMatchObject(architect)
  })

  test('that is not JSON is an error with line and column', async () => {
    expect(await failure(() => parseRepositoryConfig('{\n  "editor": {},\n}\n', file))).toMatchObject({
      code: 'bad_config',
      message: `${file}: line 3, column 1: this is not JSON`,
    })
  })

  test('that holds something other than an object is an error', async () => {
    expect((await failure(() => parseRepositoryConfig('[]', file))).message).toContain(`${file}: the whole file: `)
  })

  test('cannot bring control characters onto the screen', async () => {
    const text = JSON.stringify({ '\u001b[2J\u009b\u202e': 1 })
    const { message } = await failure(() => parseRepositoryConfig(text, file))
    expect(message).not.toMatch(/\p{C}/u)
  })

  test('may begin with a byte order mark', () => {
    expect(parseRepositoryConfig('\uFEFF{}', file).verification.steps).toEqual([])
  })
})

describe('the configuration of a run', () => {
  test('without any configuration is an error that says what to run', async () => {
    const error = await failure(() => resolved({}))
    expect(error.code).toBe('no_config')
    expect(error.todo).toContain('`drydock init`')
    expect(error.todo).toContain('`drydock init --user`')
  })

  test('without a step is an error', async () => {
    expect((await failure(() => resolved({ config: {} }))).code).toBe('no_steps')
  })

  test('needs neither configuration nor step for a scout', async () => {
    expect(await resolved({ stepsRequired: false })).toMatchObject({ source: 'defaults', steps: [] })
    expect(await resolved({ config: {}, stepsRequired: false })).toMatchObject({ source: file, steps: [] })
  })

  test('has the limits of the crew, each from its own key', async () => {
    const config = {
      ...withSteps,
      architect: { scoping_soft_limit: 2, scoping_hard_limit: 3, request_soft_limit: 4, request_hard_limit: 5 },
      editor: { planning_iterations: 6, coding_iterations: 7, turns_without_progress: 9, review_rounds: 8 },
    }
    expect(await resolved({ config })).toMatchObject({
      scoping: { soft: 2, hard: 3 },
      request: { soft: 4, hard: 5 },
      planningIterations: 6,
      codingIterations: 7,
      turnsWithoutProgress: 9,
      reviewRounds: 8,
    })
  })

  test('has the prepare steps, their place, and the effect of a write', async () => {
    const install = { name: 'install', command: 'npm ci', outputs: ['./web/node_modules/'], network: ['registry'] }
    const verification = { ...withSteps.verification, prepare: [install], package: 'web', writes: 'overlay' }
    expect(await resolved({ config: { verification } })).toMatchObject({
      prepare: [{ ...install, inputs: [], outputs: ['web/node_modules'], timeoutSec: 1_800 }],
      package: 'web',
      writes: 'overlay',
    })
  })

  test.each([
    [['.'], 'prepare[0].outputs[0]: must be a folder below the root of the repository, other than .git'],
    [['.git/hooks'], 'prepare[0].outputs[0]: must be a folder below the root of the repository, other than .git'],
    [['../out'], 'prepare[0].outputs[0]: must be relative, without ".."'],
    [['deps', 'deps/inner'], 'prepare: an output is named twice, or lies inside another'],
  ])('refuses the outputs %j', async (outputs, words) => {
    const prepare = [{ name: 'install', command: 'npm ci', outputs }]
    const error = await failure(() => resolved({ config: { verification: { ...withSteps.verification, prepare } } }))
    expect(error).toMatchObject({ code: 'bad_config', message: `${file}: verification.${words}` })
  })

  test('takes the names of hosts and nothing else for the network of a step', async () => {
    const prepare = [
      { name: 'install', command: 'x', outputs: ['deps'], network: ['a.example:8443', 'http://b.example/'] },
    ]
    const error = await failure(() => resolved({ config: { verification: { ...withSteps.verification, prepare } } }))
    expect(error.message).toBe(
      `${file}: verification.prepare[0].network[1]: must be "registry" or the name of a host, with or without a port`,
    )
  })

  test("comes from --config, then the committed file, then the user's entry for the repository", async () => {
    const own = await user({ repositories: { '/repository/': { ...withSteps, editor: { coding_iterations: 7 } } } })
    const entry = await resolved({ user: own })
    expect(entry).toMatchObject({ codingIterations: 7, source: `${own.file}: repositories["/repository/"]` })

    const committed = { ...withSteps, editor: { coding_iterations: 8 } }
    expect(await resolved({ user: own, config: committed })).toMatchObject({ codingIterations: 8, source: file })

    const configFile = join(home, 'other.json')
    await writeFile(configFile, JSON.stringify({ ...withSteps, editor: { coding_iterations: 9 } }))
    const flagged = await resolved({ user: own, config: committed, configFile })
    expect(flagged).toMatchObject({ codingIterations: 9, source: configFile })
  })

  test('is an error that names the file when --config names none', async () => {
    const configFile = join(home, 'missing.json')
    const error = await failure(() => resolved({ config: withSteps, configFile }))
    expect(error).toMatchObject({ code: 'bad_config', message: `${configFile} does not exist` })
  })

  test('has a committed budget and max_coders only where they lower what the user has', async () => {
    const amount = fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined })
    const own = await user()
    await fc.assert(
      fc.asyncProperty(amount, amount, async (ofUser, ofRepository) => {
        const bounds = (n: number | undefined) =>
          n === undefined
            ? {}
            : { budget: { run_usd: n, story_usd: n, run_tokens: n, story_tokens: n }, orchestrator: { max_coders: n } }
        const config = { ...withSteps, ...bounds(ofRepository) }
        const result = await resolved({ config, user: { ...own, ...bounds(ofUser) } })
        const lower = (fallback: number) => Math.min(ofRepository ?? Number.POSITIVE_INFINITY, ofUser ?? fallback)
        expect(result.maxCoders).toBe(lower(3))
        expect(result.budget).toEqual({
          runUsd: lower(20),
          storyUsd: lower(5),
          runTokens: lower(20_000_000),
          storyTokens: lower(15_000_000),
        })
      }),
    )
  })

  test('prefers flags to the user’s settings for one repository, and these to general ones', async () => {
    const own = await user({
      budget: { run_usd: 10 },
      target: 'main',
      repositories: { '/repository': { ...withSteps, budget: { run_usd: 50 }, orchestrator: { max_coders: 9 } } },
    })
    expect(await resolved({ user: own })).toMatchObject({ budget: { runUsd: 50 }, maxCoders: 9, target: 'main' })
    const flags = { maxCoders: 12, target: 'next' }
    expect(await resolved({ user: own, flags })).toMatchObject({
      budget: { runUsd: 50 },
      maxCoders: 12,
      target: 'next',
    })
  })
})

describe("the user's file", () => {
  test('may be missing', async () => {
    expect(await user()).toEqual({
      file: join(home, '.config', 'drydock', 'config.json'),
      acp: { ignore_mcp_servers: [] },
      mcp: {},
      mcpDoor: { allow: [] },
      commit: { trailers: [] },
      dashboard: { editor_link: 'vscode://file{path}:{line}' },
      forges: {},
      hub: {},
      hubs: {},
      slots: {},
      models: {},
      model_fallback: {},
      model_timeouts: {},
      providers: {},
      agents: {},
      repositories: {},
      sandbox: { global_options: [], read_only_paths: [] },
      budget: {},
      prices: {},
      context: {},
      orchestrator: {},
      instructions: {},
      notify: { on: ['escalation', 'assigned', 'paused'] },
      receipts: { trusted_keys: [] },
      state: {},
      telemetry: { content: false, otlp: {} },
    })
  })

  test('says how much a model can take', async () => {
    const { context } = await user({ context: { 'local:qwen': 32_768 } })
    expect(context).toEqual({ 'local:qwen': 32_768 })
    const error = await failure(() => user({ context: { 'local:qwen': 100 } }))
    expect(error.message).toContain('context["local:qwen"]: ')
  })

  test('says how long a model may take', async () => {
    const { model_timeouts } = await user({ model_timeouts: { first_byte_sec: 600 } })
    expect(model_timeouts).toEqual({ first_byte_sec: 600 })
    const error = await failure(() => user({ model_timeouts: { total_sec: 0 } }))
    expect(error.message).toContain('model_timeouts.total_sec: ')
  })

  test('names an image or a Dockerfile for containers, not both', async () => {
    const { sandbox } = await user({ sandbox: { backend: 'podman', dockerfile: '~/Dockerfile' } })
    expect(sandbox).toMatchObject({ backend: 'podman', dockerfile: join(home, 'Dockerfile') })
    const error = await failure(() => user({ sandbox: { image: 'node', dockerfile: '/Dockerfile' } }))
    expect(error.message).toContain('sandbox.dockerfile: only one of image and dockerfile can be given')
  })

  test('shows toolchains below the home', async () => {
    const { sandbox } = await user({ sandbox: { read_only_paths: ['~/.rustup', '/opt/go'] } })
    expect(sandbox.read_only_paths).toEqual([join(home, '.rustup'), '/opt/go'])
  })

  test('names the keys whose receipts are trusted', async () => {
    const { receipts } = await user({ receipts: { trusted_keys: ['~/team.pem', '/etc/drydock.pem'] } })
    expect(receipts).toEqual({ trusted_keys: [join(home, 'team.pem'), '/etc/drydock.pem'] })
    const error = await failure(() => user({ receipts: { trusted_keys: ['team.pem'] } }))
    expect(error.message).toContain('receipts.trusted_keys[0]: must be absolute')
  })

  test('names the receivers of questions', async () => {
    const webhook = 'https://hooks.example/a?b=c'
    const { notify } = await user({ notify: { webhook, command: ['~/bin/tell', ' as it is ', ''], on: ['ended'] } })
    expect(notify).toEqual({ webhook, command: [join(home, 'bin/tell'), ' as it is ', ''], on: ['ended'] })
    const errors: readonly (readonly [object, string])[] = [
      [{ webhook: 'file:///etc' }, 'webhook: must be an http or https URL'],
      [{ webhook: 'https://me:secret@hooks.example/' }, 'webhook: must hold no user and no password'],
      [{ command: [] }, 'command'],
      [{ command: ['./tell'] }, 'command[0]: must be the name of a program, or absolute'],
      [{ command: ['tell', 'a\u0000b'] }, 'command[1]: must hold no null'],
      [{ command: 'tell me' }, 'command: '],
      [{ on: ['everything'] }, 'on[0]: '],
      [{ url: webhook }, 'url: unknown key'],
    ]
    for (const [given, expected] of errors) {
      const error = await failure(() => user({ notify: given }))
      expect(error.message).toContain(`: notify.${expected}`)
      expect(error.message).not.toContain('secret')
    }
  })

  test('takes providers and models', async () => {
    const config = {
      models: { default: 'local:qwen', editor: 'anthropic:some-model' },
      providers: { local: { kind: 'openai-compatible', baseURL: 'http://localhost:1234/v1', apiKeyEnv: 'LOCAL_KEY' } },
    }
    expect(await user(config)).toMatchObject(config)
  })

  test.each([
    [
      { providers: { openai: { kind: 'openai', baseURL: 'https://a.test' } } },
      'providers.openai: is the name of a built-in',
    ],
    [
      { providers: { a: { kind: 'openai', baseURL: 'file:///etc' } } },
      'providers.a.baseURL: must be an http or https URL',
    ],
    [{ providers: { a: { kind: 'openai', baseURL: 'https://a.test', key: 'x' } } }, 'providers.a.key: unknown key'],
    [{ models: { default: 'some-model' } }, 'models.default: must look like <provider>:<model>'],
    [{ repositories: { here: {} } }, 'repositories.here: must be an absolute path'],
    [{ repositories: { '/a': { models: {} } } }, 'repositories["/a"].models: unknown key'],
    [{ sandbox: { read_only_paths: ['go'] } }, 'sandbox.read_only_paths[0]: must be absolute'],
    [{ verification: {} }, 'verification: unknown key'],
  ])('is refused with the key that is wrong: %j', async (config, expected) => {
    const error = await failure(() => user(config))
    expect(error.code).toBe('bad_config')
    expect(error.message).toContain(`${join(home, '.config', 'drydock', 'config.json')}: ${expected}`)
  })

  test('that cannot be read is an error', async () => {
    await mkdir(join(home, '.config', 'drydock', 'config.json'), { recursive: true })
    const error = await failure(() => loadUserConfig({ HOME: home }))
    expect(error).toMatchObject({ code: 'bad_config', message: expect.stringContaining('cannot be read') })
  })
})

function shapeOf(place: 'orchestrator' | 'architect' | 'editor' | 'verification' | 'budget'): object {
  return repositorySchema.shape[place].unwrap().shape
}
