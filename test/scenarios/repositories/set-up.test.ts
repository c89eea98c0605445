import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { whereIs } from '../../where-is.ts'
import { createFixture as createWorldFixture } from '../../world/fixture.ts'
import { createFixture, type Fixture, greenLanes, runHere } from '../world/fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture()
  await fixture.git('branch', 'start')
})
afterAll(() => fixture.remove())

const userFolder = () => join(fixture.folder, 'config', 'drydock')

/** Reverts the commits and the user's files of a test. */
async function takeBack(): Promise<void> {
  await rm(userFolder(), { recursive: true, force: true })
  await fixture.git('reset', '-q', '--hard', 'start')
}

async function folder(name: string, ...git: string[]): Promise<string> {
  const path = join(fixture.folder, name)
  await mkdir(path)
  if (git.length > 0) execFileSync('git', git, { cwd: path, stdio: 'ignore', env: fixture.env })
  return path
}

/** A folder whose .git names a bare repository inside it, with one work tree. */
async function bareLayout(name: string, tree: string): Promise<void> {
  const root = await folder(name)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore', env: fixture.env })
  git('clone', '--bare', fixture.repo, '.bare')
  await writeFile(join(root, '.git'), 'gitdir: ./.bare\n')
  git('worktree', 'add', join(fixture.folder, tree), '-b', 'tree')
}

async function configure(text: string): Promise<void> {
  await fixture.write({ '.drydock/config.json': text })
  await fixture.git('commit', '-qam', 'configure')
}

async function configureUser(config: object): Promise<void> {
  await mkdir(userFolder(), { recursive: true })
  await writeFile(join(userFolder(), 'config.json'), JSON.stringify(config))
}

/** The real git, which claims to be older. */
async function ageGit(): Promise<void> {
  const git = whereIs('git')
  const says = 'if [ "$1" = --version ]; then echo git version 2.34.1; exit; fi'
  await mkdir(join(fixture.folder, 'old'), { recursive: true })
  await writeFile(join(fixture.folder, 'old', 'git'), `#!/bin/sh\n${says}\nexec ${git} "$@"\n`)
  await chmod(join(fixture.folder, 'old', 'git'), 0o755)
}

interface Mistake {
  readonly sentence: string
  readonly args: readonly string[]
  readonly code: string
  /** The part of the message about the error. */
  readonly message: RegExp
  /** The part about the fix, with the command to run if there is one. */
  readonly todo: RegExp
  prepare?(): Promise<unknown>
  takeBack?(): Promise<unknown>
  /** Comes first in PATH, relative to the fixture's folder. */
  readonly path?: string
}

const task = ['task', 'say new', '--model', 'replay:REPLAY']

const mistakes: readonly Mistake[] = [
  {
    sentence: 'a folder that is in no git repository',
    args: ['task', 'x', '--repo', 'FOLDER/plain'],
    prepare: () => folder('plain'),
    code: 'not_a_repository',
    message: /FOLDER\/plain is not inside a git repository/,
    todo: /git init/,
  },
  {
    sentence: 'a folder that does not exist',
    args: ['task', 'x', '--repo', 'FOLDER/nowhere'],
    code: 'not_a_repository',
    message: /FOLDER\/nowhere does not exist/,
    todo: /--repo/,
  },
  {
    sentence: 'a bare repository',
    args: ['task', 'x', '--repo', 'FOLDER/bare'],
    prepare: () => folder('bare', 'init', '--bare'),
    code: 'not_a_repository',
    message: /bare repository/,
    todo: /git clone/,
  },
  ...[
    ['beside', '', 'nest/main', /FOLDER\/nest is a bare repository/],
    ['below', '', 'nest/.bare/main', /FOLDER\/nest is a bare repository/],
    ['around', '/.bare/refs', 'nest/main', /FOLDER\/nest\/\.bare\/refs is a bare repository/],
  ].map(([where, at, tree, message]) => ({
    sentence: `a bare repository with work trees ${where} it`,
    args: ['task', 'x', '--repo', `FOLDER/nest${at}`],
    prepare: () => bareLayout('nest', String(tree)),
    takeBack: () => rm(join(fixture.folder, 'nest'), { recursive: true }),
    code: 'not_a_repository',
    message: message as RegExp,
    todo: new RegExp(`^Go to one of its work trees: cd "\\S+/${tree}"$`),
  })),
  {
    sentence: 'the folder of several repositories',
    args: ['task', 'x', '--repo', 'FOLDER'],
    code: 'not_a_repository',
    message: /is not inside a git repository/,
    todo: /^Go to your project: cd "\S+\/repo"$/,
  },
  {
    sentence: 'the inside of a .git folder',
    args: ['task', 'x', '--repo', 'FOLDER/repo/.git/objects'],
    code: 'not_a_repository',
    message: /is inside a \.git folder/,
    todo: /: cd "\S+\/repo"$/,
  },
  ...[
    { args: ['init'], TMPDIR: 'FOLDER/no/tmp' },
    { args: task, TMPDIR: 'FOLDER/repo/value.txt' },
  ].map(({ args, TMPDIR }) => ({
    sentence: `a TMPDIR that is none, ${TMPDIR}, before ${args[0]} does anything`,
    args,
    prepare: async () => void vi.stubEnv('TMPDIR', TMPDIR.replace('FOLDER', fixture.folder)),
    takeBack: async () => void vi.unstubAllEnvs(),
    code: 'no_temporary_folder',
    message: /, FOLDER\/\S+, (?:does not exist|is not a folder)\.$/,
    todo: /^(?:mkdir -p '\S+\/no\/tmp' {3}or )?export TMPDIR=/,
  })),
  {
    sentence: 'a repository without commits',
    args: ['task', 'x', '--repo', 'FOLDER/empty'],
    prepare: () => folder('empty', 'init'),
    code: 'no_commits',
    message: /has no commits yet/,
    todo: /git add --all && git commit/,
  },
  {
    sentence: 'a target branch that does not exist',
    args: [...task, '--target', 'no-such-branch'],
    code: 'unknown_revision',
    message: /"no-such-branch"/,
    todo: /git branch --all/,
  },
  {
    sentence: 'a commit that does not exist',
    args: ['verify', 'c0ffee00'],
    code: 'unknown_revision',
    message: /"c0ffee00"/,
    todo: /git branch --all/,
  },
  {
    sentence: 'no configuration',
    args: task,
    async prepare() {
      await fixture.git('rm', '-q', '.drydock/config.json')
      await fixture.git('commit', '-qm', 'none')
    },
    code: 'no_config',
    message: /no committed \.drydock\/config\.json/,
    todo: /drydock init/,
  },
  {
    sentence: 'an unknown key, by its name and its file',
    args: task,
    prepare: () => configure('{"verification":{"stepz":[]}}'),
    code: 'bad_config',
    message: /\.drydock\/config\.json: verification\.stepz: unknown key/,
    todo: /Correct/,
  },
  {
    sentence: 'a configuration that is not JSON, by line and column',
    args: task,
    prepare: () => configure('{\n  "verification": }'),
    code: 'bad_config',
    message: /\.drydock\/config\.json: line 2, column 19/,
    todo: /JSON/,
  },
  {
    sentence: 'a user’s file that is not JSON, also when only the state is asked for',
    args: ['status'],
    async prepare() {
      await mkdir(userFolder(), { recursive: true })
      await writeFile(join(userFolder(), 'config.json'), '{')
    },
    code: 'bad_config',
    message: /FOLDER\/config\/drydock\/config\.json: line 1/,
    todo: /JSON/,
  },
  {
    sentence: 'a --config file that does not exist',
    args: [...task, '--config', 'FOLDER/none.json'],
    code: 'bad_config',
    message: /FOLDER\/none\.json does not exist/,
    todo: /--config/,
  },
  {
    sentence: 'a configuration without verification steps',
    args: task,
    prepare: () => configure('{"verification":{"steps":[]}}'),
    code: 'no_steps',
    message: /verification\.steps is empty/,
    todo: /"steps": \[/,
  },
  ...[
    ['task', 'say new'],
    ['run', 'Build it'],
    ['plan', 'Build it'],
  ].map((words) => ({
    sentence: `a git that is too old, before ${words[0]} pays for anything`,
    args: [...words, '--model', 'replay:REPLAY'],
    path: 'old',
    prepare: ageGit,
    code: 'git_too_old',
    message: /git version 2\.34\.1; Drydock needs git 2\.38/,
    todo: /PATH/,
  })),
  {
    sentence: 'commits by a user that git does not know',
    args: task,
    async prepare() {
      await configureUser({ commit: { author: 'user' } })
      await fixture.git('config', '--unset', 'user.email')
    },
    takeBack: () => fixture.git('config', 'user.email', 'tester@localhost'),
    code: 'bad_config',
    message: /commit\.author is "user"/,
    todo: /git config --global user\.name/,
  },
  ...['Drydock <me@localhost', 'A\nB <me@localhost>', 'nobody'].map((author) => ({
    sentence: `an author of commits that is none: ${JSON.stringify(author)}`,
    args: task,
    prepare: () => configureUser({ commit: { author } }),
    code: 'bad_config',
    message: /commit\.author: must be "user" or look like/,
    todo: /Correct/,
  })),
  ...['verified-by: me', 'Ticket: 7\nReviewed-By: me', 'no trailer'].map((trailer) => ({
    sentence: `a trailer that is none, or Drydock’s own: ${JSON.stringify(trailer)}`,
    args: task,
    prepare: () => configureUser({ commit: { trailers: [trailer] } }),
    code: 'bad_config',
    message: /commit\.trailers\[0\]: must be one line/,
    todo: /Correct/,
  })),
  {
    sentence: 'containers without an image',
    args: ['task', 'x', '--model', 'ollama:any', '--sandbox', 'podman'],
    code: 'sandbox_unusable',
    message: /podman does not work/,
    todo: /drydock doctor --sandbox podman/,
  },
  {
    sentence: 'no model',
    args: ['task', 'x'],
    code: 'no_model',
    message: /No model is configured for the editor/,
    todo: /--model .*drydock demo/,
  },
  {
    sentence: 'no key',
    args: ['task', 'x', '--model', 'anthropic:claude-sonnet-5'],
    code: 'no_key',
    message: /ANTHROPIC_API_KEY is not set/,
    todo: /export ANTHROPIC_API_KEY/,
  },
  {
    sentence: 'a provider that nobody knows',
    args: ['task', 'x', '--model', 'nobody:model'],
    code: 'bad_model',
    message: /"nobody". The known ones are anthropic/,
    todo: /"providers"/,
  },
  {
    sentence: 'a model without a provider',
    args: ['task', 'x', '--model', 'claude'],
    code: 'bad_model',
    message: /"claude" is not a model id/,
    todo: /provider:model/,
  },
  {
    sentence: 'a replay file that does not exist',
    args: ['task', 'x', '--model', 'replay:FOLDER/none.json'],
    code: 'bad_model',
    message: /FOLDER\/none\.json/,
    todo: /Correct the file/,
  },
  {
    sentence: 'a replay file that is broken',
    args: ['task', 'x', '--model', 'replay:FOLDER/broken.json'],
    prepare: () => writeFile(join(fixture.folder, 'broken.json'), '{"version":1,"lanes":'),
    code: 'bad_model',
    message: /FOLDER\/broken\.json/,
    todo: /Correct the file/,
  },
  {
    sentence: 'a scout’s model that cannot be used, although the editor’s can',
    args: [...task, '--scout-model', 'replay:FOLDER/none.json'],
    code: 'bad_model',
    message: /FOLDER\/none\.json/,
    todo: /Correct the file/,
  },
  {
    sentence: '--dry-run together with --apply',
    args: [...task, '--dry-run', '--apply'],
    code: 'bad_usage',
    message: /--dry-run and --apply/,
    todo: /one of them/,
  },
  {
    sentence: 'a task without words',
    args: ['task', ' ', '--model', 'replay:REPLAY'],
    code: 'bad_usage',
    message: /no text/,
    todo: /drydock task "/,
  },
  {
    sentence: 'a scout that does not exist',
    args: ['scout', 'weather', 'where?', '--model', 'replay:REPLAY'],
    code: 'bad_usage',
    message: /"weather"/,
    todo: /codebase.*build/,
  },
  {
    sentence: 'a question without words',
    args: ['scout', 'build', ' ', '--model', 'replay:REPLAY'],
    code: 'bad_usage',
    message: /empty/,
    todo: /drydock scout/,
  },
]

async function fill(args: readonly string[]): Promise<string[]> {
  const replay = (await fixture.replay(greenLanes)).slice('replay:'.length)
  return args.map((arg) => arg.replace('REPLAY', replay).replace('FOLDER', fixture.folder))
}

describe('exit code 2, what is wrong and what to do, and nothing stored, on', () => {
  test.each(mistakes.map((mistake) => [mistake.sentence, mistake] as const))(
    '%s',
    async (_sentence, { args, code, message, todo, prepare, path, ...mistake }) => {
      await prepare?.()
      const state = async () => JSON.stringify(await readdir(join(fixture.folder, 'state')).catch(() => []))
      const before = await state()
      const repo = args.includes('--repo') ? [] : ['--repo', fixture.repo]
      const PATH = [...(path ? [join(fixture.folder, path)] : []), fixture.env.PATH].join(':')
      const refused = await runHere([...(await fill(args)), ...repo, '--json'], { ...fixture.env, PATH })
      expect([refused.exitCode, refused.stdout.trim().split('\n').length], refused.stdout).toEqual([2, 1])
      const [said] = refused.events
      expect(said).toMatchObject({ type: 'error', code })
      expect(String(said?.message).replaceAll(fixture.folder, 'FOLDER')).toMatch(message)
      expect(said?.todo).toMatch(todo)
      expect(await state()).toBe(before)
      if (prepare) await takeBack()
      await mistake.takeBack?.()
    },
  )

  test('two lines on stderr without --json: what is wrong, and what to do', async () => {
    const { exitCode, stdout, stderr } = await fixture.drydock('task', 'x', '--model', 'claude')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^drydock: "claude" is not a model id.*\n.*provider:model.*\n$/)
  })

  test('a run that nobody knows, for each command that takes one', async ({ onTestFinished }) => {
    const world = await createWorldFixture()
    onTestFinished(() => world.remove())
    const commands = ['log', 'diff', 'report', 'watch', 'cancel', 'resume', 'retry']
    const refusal = (message: string, todo: RegExp) => [
      2,
      [{ type: 'error', code: 'not_found', message: expect.stringContaining(message) }],
      expect.stringMatching(todo),
    ]
    const said = async (...args: string[]) => {
      const { exitCode, events } = await world.drydock(...args, '--json')
      return [exitCode, events, events[0]?.todo]
    }
    for (const command of commands)
      expect(await said(command), command).toMatchObject(refusal('no run yet', /drydock task/))
    await world.drydock('task', 'say new', '--model', await world.replay(greenLanes))
    for (const command of ['status', ...commands])
      expect(await said(command, 'no-such-run'), command).toMatchObject(
        refusal('no run "no-such-run"', /The last ones are: say-new-/),
      )
  })
})

describe('exit code 2 and a hint at the help, on', () => {
  test.each([
    ['an unknown command', ['tsak', 'x'], /unknown command 'tsak'\n\(Did you mean task\?\)\n\(see drydock --help\)/],
    ['help with an unknown command', ['help', 'statsu'], /unknown command 'statsu'\n\(Did you mean status\?\)/],
    [
      'an unknown option',
      ['task', 'x', '--dry-rum'],
      /'--dry-rum'\n\(Did you mean --dry-run\?\)\n\(see drydock task --help\)/,
    ],
    [
      'an option that only other commands have',
      ['resume', '--budget-usd', '5'],
      /resume has no option --budget-usd.\n--budget-usd is an option of: drydock run, .*\n\(see drydock resume --help\)/,
    ],
    ['an option before its command', ['--repo', '.', 'status'], /--repo stands before the command/],
    ['options that do nothing together', ['doctor', '--security', '--model', 'x'], /'--security' cannot be used with/],
    ['a question without an argument', ['scout', 'codebase'], /missing required argument 'question'/],
    ['too many arguments', ['status', 'a', 'b'], /too many arguments/],
    ['a number of coders that is none', ['task', 'x', '--max-coders', '0'], /a number from 1 to 999/],
    ['a sandbox that does not exist', ['task', 'x', '--sandbox', 'chroot'], /bubblewrap, docker, podman/],
  ])('%s', async (_sentence, args, message) => {
    const { exitCode, stdout, stderr } = await runHere(args, fixture.env)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\(see drydock ([a-z]+ )?--help\)\n$/)
  })
})

describe('doctor', () => {
  /** A PATH with only the named programs. */
  async function pathOf(...tools: string[]): Promise<string> {
    const path = join(fixture.folder, 'tools')
    await mkdir(path)
    for (const tool of tools) {
      await symlink(whereIs(tool), join(path, tool))
    }
    return path
  }

  /**
   * Answers the request for a list of models, in the format of OpenAI or Anthropic, if the key is
   * right.
   */
  const key = 'sk-right-0123456789'
  let provider: Server
  let origin: string
  beforeEach(async () => {
    provider = createServer(({ headers }, response) => {
      const isAllowed = headers['x-api-key'] === key || headers.authorization === `Bearer ${key}`
      response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isAllowed ? { data: [{ id: 'claude-sonnet-5-5' }] } : {}))
    })
    await once(provider.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  })

  afterEach(async () => {
    provider.close()
    await takeBack()
    for (const name of ['tools', 'old', 'nowhere', 'state'])
      await rm(join(fixture.folder, name), { recursive: true, force: true })
  })

  const withKey = () => ({ ...fixture.env, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: origin })

  test('finds nothing missing, and says what it found but never a key', async () => {
    const done = await runHere(['doctor', '--repo', fixture.repo], withKey())
    expect(done.exitCode, done.stdout).toBe(0)
    expect(done.stdout.split('\n').filter((line) => line.startsWith('ok'))).toHaveLength(15)
    expect(done.stdout).toMatch(/^ok +models +ANTHROPIC_API_KEY; no default model/m)
    expect(done.stdout).toMatch(/^ok +sandbox +bubblewrap \(the default\); enforced: network, .*best effort: memory/m)
    expect(done.stdout).toMatch(/^ok +git +git version 2\./m)
    expect(done.stdout).toMatch(/^ok +overlay +steps can write/m)
    expect(done.stdout).toMatch(/^ok +tracing +the gate can see which files steps read$/m)
    expect(done.stdout).toMatch(/^ok +provider +anthropic at 127\.0\.0\.1:\d+ answers, ANTHROPIC_API_KEY is accepted$/m)
    expect(done.stdout).toMatch(/^ok +receipts +no key yet: the first merge creates one$/m)
    expect(done.stdout).not.toContain(key)
  })

  test('looks at the key that receipts are signed with, and makes none', async () => {
    const check = async () => (await runHere(['doctor', '--repo', fixture.repo], withKey())).stdout
    const file = join(fixture.env.DRYDOCK_HOME ?? '', 'receipt-key.pem')
    await check()
    expect(existsSync(file)).toBe(false)
    await fixture.drydock('receipt', 'key')
    expect(await check()).toMatch(/^ok +receipts +signed with key [0-9a-f]{12}$/m)
    await chmod(file, 0o644)
    expect(await check()).toMatch(/^MISSING receipts .*receipt-key\.pem: others can read it\.\n +→ .*chmod 600/m)
  })

  test('without bubblewrap names the line that installs it and ends with 4', async () => {
    const env = { ...withKey(), PATH: await pathOf('git', 'sh', 'find', 'unshare') }
    const done = await runHere(['doctor', '--repo', fixture.repo], env)
    expect(done.exitCode).toBe(4)
    expect(done.stdout).toMatch(/^MISSING sandbox .*\n +→ .*apt-get install bubblewrap/m)
    const json = await runHere(['doctor', '--repo', fixture.repo, '--json'], env)
    expect(json.events.filter(({ ok }) => ok === false)).toMatchObject([{ type: 'check', name: 'sandbox' }])
  })

  test('says why another sandbox was chosen, and takes no other when that is missing', async () => {
    const env = { ...withKey(), PATH: await pathOf('git', 'sh', 'find', 'unshare', 'bwrap') }
    const done = await runHere(['doctor', '--repo', fixture.repo, '--sandbox', 'podman'], env)
    expect(done.exitCode).toBe(4)
    expect(done.stdout).toMatch(/^MISSING sandbox +podman \(--sandbox\).*\n +→ .*apt-get install podman/m)
  })

  test('without a folder for temporary files names the line that makes one, and looks at nothing that needs it', async () => {
    vi.stubEnv('TMPDIR', join(fixture.folder, 'no/tmp'))
    const done = await runHere(['doctor', '--repo', fixture.repo], withKey()).finally(() => vi.unstubAllEnvs())
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toMatch(
      /^MISSING temporary .* does not exist\.\n +→ mkdir -p '\S+'.*\n +Without it: No sandbox/m,
    )
    expect(done.stdout).not.toMatch(/^MISSING (?!temporary)/m)
  })

  test('without git names the line that installs it and ends with 4', async () => {
    const done = await runHere(['doctor', '--repo', fixture.repo], {
      ...withKey(),
      PATH: await pathOf('sh', 'unshare', 'bwrap'),
    })
    expect(done.exitCode).toBe(4)
    expect(done.stdout).toMatch(/^MISSING git .*\n +→ apt-get install git/m)
  })

  test('names a toolchain that a step calls and sandboxes do not see, or see another one of', async () => {
    await configure(
      JSON.stringify({ verification: { steps: [{ name: 'test', command: 'true && pnpm test; go vet' }] } }),
    )
    const tools = await pathOf('git', 'sh', 'find', 'unshare', 'bwrap')
    await writeFile(join(tools, 'pnpm'), '#!/bin/sh\n')
    await chmod(join(tools, 'pnpm'), 0o755)
    const done = await runHere(['doctor', '--repo', fixture.repo], { ...withKey(), PATH: tools })
    expect(done.stdout).toMatch(/ pnpm .*\/tools\/pnpm, but sandboxes (do not see it|use \S+ instead)\.\n +→ /)
    expect(done.stdout).toMatch(/"sandbox": \{ "read_only_paths": \["\/.*"\] \}$/m)
    const hasGo = ['/usr/bin/go', '/usr/local/bin/go'].some((path) => existsSync(path))
    expect(/^MISSING go +go is not installed\./m.test(done.stdout)).toBe(!hasGo)
    expect(done.stdout).not.toMatch(/ (npm|cargo) /)
  })

  test('names programs that are too old, and what does not work without them', async () => {
    await ageGit()
    await writeFile(join(fixture.folder, 'old', 'bwrap'), '#!/bin/sh\necho bubblewrap 0.6.1\n')
    await chmod(join(fixture.folder, 'old', 'bwrap'), 0o755)
    const env = { ...withKey(), PATH: `${join(fixture.folder, 'old')}:${fixture.env.PATH}` }
    const done = await runHere(['doctor', '--repo', fixture.repo], env)
    expect(done.exitCode).toBe(2)
    const missing = (line: string) => new RegExp(`^MISSING ${line}\\n +→ .*\\n +Without it: `, 'm')
    expect(done.stdout).toMatch(missing('git +git version 2.34.1'))
    expect(done.stdout).toMatch(missing('bubblewrap +bubblewrap 0.6.1'))
    expect(done.stdout).not.toContain('Nothing is missing')
    const json = await runHere(['doctor', '--repo', fixture.repo, '--json'], env)
    expect(json.events).toContainEqual(
      expect.objectContaining({ name: 'git', ok: false, consequence: 'Neither a task nor a run can start.' }),
    )
  })

  test('names every other thing that is missing with what fixes it', async () => {
    await fixture.git('rm', '-q', '.drydock/config.json')
    await fixture.git('commit', '-qm', 'none')
    const done = await fixture.drydock('doctor')
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toMatch(/^MISSING configuration .*\n +→ Run `drydock init`.*\n +Without it: /m)
    expect(done.stdout).toMatch(/^MISSING models .*\n +→ Set ANTHROPIC_API_KEY.*\n +Without it: /m)
  })

  test('does not blame the repository for a configuration of the user that cannot be read', async () => {
    await configureUser({ no_such_key: 1 })
    const done = await runHere(['doctor', '--repo', fixture.repo], withKey())
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toMatch(
      /^MISSING configuration .*config\.json.*no_such_key.*\n.*\n +Without it: Nothing can start\.$/m,
    )
    expect(done.stdout).not.toMatch(/repository/)
  })

  test('outside of a repository checks the machine and the models all the same', async () => {
    const done = await runHere(['doctor', '--repo', await folder('nowhere')], withKey())
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toMatch(/^MISSING repository .*nowhere is not inside .*\n +→ .*git init\n +Without it: /m)
    expect(done.stdout.match(/^MISSING/gm)).toHaveLength(1)
    expect(done.stdout).toMatch(/^ok +sandbox +bubblewrap/m)
    expect(done.stdout).toMatch(/^ok +overlay /m)
    expect(done.stdout).toMatch(/^ok +provider +anthropic at .* ANTHROPIC_API_KEY is accepted$/m)
    expect(done.stdout).not.toMatch(/configuration/)
  })
})

test('a task without bubblewrap ends as INFRA_ERROR with exit code 4 and the line that installs it', async () => {
  const path = join(fixture.folder, 'tools')
  await mkdir(path)
  const git = whereIs('git')
  await writeFile(join(path, 'git'), `#!/bin/sh\nPATH='${fixture.env.PATH}' exec ${git} "$@"\n`)
  await chmod(join(path, 'git'), 0o755)
  const args = ['task', 'say new', '--model', await fixture.replay(greenLanes), '--repo', fixture.repo]
  const done = await runHere(args, { ...fixture.env, PATH: path })
  expect(done.exitCode).toBe(4)
  expect(done.stdout).toContain('apt-get install bubblewrap')
})
