import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

interface SourceFile {
  /** Relative to the root of the package, such as `src/domain/json.ts`. */
  readonly path: string
  readonly text: string
}

interface Rule {
  readonly sentence: string
  /** One line for each breach. */
  readonly check: (files: readonly SourceFile[]) => readonly string[]
  /** Folders that the rule covers in addition to src and dashboard. */
  readonly alsoIn?: readonly string[]
  /** Files by path that break the rule, each group in another way. */
  readonly breaches: readonly Readonly<Record<string, string>>[]
}

/** The parts of src, each with those that it may import. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  boot: ['cli'],
  files: [],
  http: ['domain'],
  processes: ['domain'],
  ports: ['domain'],
  agents: ['ports', 'domain'],
  gate: ['ports', 'domain'],
  workflow: ['gate', 'agents', 'ports', 'domain'],
  api: ['domain'],
  app: ['workflow', 'agents', 'ports', 'domain', 'config', 'api'],
  server: ['app', 'agents', 'domain', 'api', 'files'],
  adapters: ['ports', 'domain', 'processes', 'files', 'http'],
  config: ['domain', 'processes', 'files'],
  security: [
    'compose',
    'processes',
    'files',
    'server',
    'app',
    'workflow',
    'gate',
    'agents',
    'ports',
    'domain',
    'api',
    'config',
  ],
  evaluation: ['app', 'processes', 'files', 'config', 'domain'],
  cli: ['compose', 'app', 'processes', 'files', 'security', 'evaluation', 'config', 'domain'],
  dashboard: ['api'],
  compose: [
    'http',
    'domain',
    'ports',
    'agents',
    'gate',
    'workflow',
    'app',
    'server',
    'adapters',
    'config',
    'processes',
    'files',
  ],
}

/** Composition of a machine, its state and model servers, a worker and its trial happens only here. */
const composing = [
  'src/compose.ts',
  'src/compose/open-machine.ts',
  'src/compose/work-for-hub.ts',
  'src/compose/try-hub.ts',
  'src/compose/worker-here.ts',
  'src/compose/model-servers.ts',
]

/** These files give commands without a door, since no person asks for exactly these. */
const commandsBeside = [
  // All runs at once, a start that another process may have made, and the pause by Ctrl-C.
  'src/cli/commands/control.ts',
  'src/cli/commands/start/start-run.ts',
  'src/app/wait/follow.ts',
  // Starts with options that only these doors have, and the simulated person of a recording.
  'src/server/acp/client-session.ts',
  'src/app/forge/take-issues.ts',
  'src/app/wait/recorded-human.ts',
]

/** Git has its own rules for drafts in its folders; the loader must not import anything. */
const writersOfDrafts = [
  'src/adapters/git/objects/write-object.ts',
  'src/adapters/git/objects/write-ref.ts',
  'src/boot/code-cache.ts',
]

/** Code inside the sandbox, where Drydock itself made the environment. */
const insideSandbox = /^src\/adapters\/sandbox\/(?:runner|step-services\/inside)\//
/** Loads the chunks of the bundle, and their packages. */
const loader = 'src/boot/chunks.ts'
/** Characters that a reader would not see, and figures: the same on the command line and in the browser. */
const shownEverywhere = ['src/domain/hidden-characters.ts', 'src/domain/figures-text.ts']
/** Holds the text of a script that runs inside the sandbox. */
const scriptInside = 'src/security/inside.ts'

/**
 * Modules and packages that are imported where they are needed, and not at the start: who imports
 * them, which, and the reason. Everything else is imported at the top of its file.
 */
const lateImports: readonly (readonly [from: RegExp, to: RegExp, reason: string])[] = [
  [
    /^src\/cli\/program\//,
    /^src\/cli\/(?:commands\/|program\/completion\.ts$)/,
    'a command line loads its own command',
  ],
  [/^src\/cli\/run-command-line\.ts$/, /\/program\/run-here\.ts$/, 'a running process may answer the command line'],
  [/^src\/cli\/door\/host\.ts$/, /^src\/compose\.ts$/, 'a running process may answer the command line'],
  [
    /^src\/cli\/commands\//,
    /\/(?:accept-findings|ci|ci-init|doctor-security|prepare-watch|read-acceptance|watch-forge|export-files|drain-workers|hub-workers)\.ts$/,
    'an option or argument that few command lines have',
  ],
  [/\/check-machine\.ts$/, /^@vscode\/ripgrep$/, 'the package may be missing, which doctor reports'],
  [/^src\/app\/(?:operations|hub)\//, /\/operations\/operations\.ts$/, 'most commands only read'],
  [/^src\/app\/operations\/views-of\.ts$/, /\/read\/views\.ts$/, 'work that is started anew looks at no earlier one'],
  [/^src\/app\/hub\/open-at-hub\.ts$/, /\/hub\/at-hub\.ts$/, 'most machines work without a hub'],
  [/^src\/compose(?:\.ts$|\/)/, /^src\/compose\/own-state\.ts$/, 'a process that only asks starts without the work'],
  [
    /^src\/compose(?:\.ts$|\/)/,
    /^src\/(?:server\/|compose\/(?:elsewhere|serve-state)\.ts$|adapters\/benches\/|app\/views\/bench\/)/,
    'only a process that serves needs a server',
  ],
  [
    /^src\/compose\.ts$/,
    /^src\/(?:compose\/(?:try-hub|work-for-hub|worker-here)\.ts$|adapters\/(?:hub\/|identity\/|engine\/shared-engine\.ts$))/,
    'most machines work without a hub',
  ],
  [/^src\/compose\.ts$/, /\/store\/copy-state\.ts$/, 'a state moves once in its life'],
  [
    /^src\/compose\/owner-commands\.ts$/,
    /^src\/app\/commands\/(?:land\/next-step|scheduled-start)\.ts$/,
    'an owner may never land anything, nor start by a schedule',
  ],
  [
    /^src\/(?:adapters\/blobs|compose|workflow)\//,
    /\/(?:(?:folder|s3)-blobs|standing-file|stored-files|collect-stored|collect-layers|keeper)\.ts$/,
    'most machines keep no files elsewhere',
  ],
  [/^src\/adapters\/artifacts\/layers\.ts$/, /\/packed\/(?:un)?pack-layer\.ts$/, 'most machines share no layers'],
  [/^src\/adapters\/store\//, /\/store\/postgres\//, 'most states are in a file'],
  [/^src\/adapters\/git\/git-ports\.ts$/, /\/control-repository\.ts$/, 'only a hub has a control repository'],
  [/^src\/adapters\/forge\//, /\/(?:github|gitlab|gitea)\.ts$/, 'a remote belongs to one forge'],
  [
    /^src\/adapters\/(?:acp|agent-tools)\//,
    /\/(?:open-agent|serve-agent-tools)\.ts$/,
    'most runs have no foreign agent',
  ],
  [/^src\/adapters\/models\/gateway\//, /\/open-gateway\.ts$/, 'most runs have no foreign agent'],
  [
    /^src\/(?:adapters\/mcp|compose|workflow\/mcp)\//,
    /\/(?:create-mcp-servers|mcp-offer|open-lane-servers)\.ts$/,
    'most users have no MCP servers',
  ],
  [
    /^src\/adapters\/sandbox\//,
    /\/(?:container-sandbox|starter-connections|registries|open-egress)\.ts$/,
    'most steps have neither a container, services nor a network',
  ],
  [/^src\/adapters\/test-reports\/create\.ts$/, /\/read-report\.ts$/, 'most steps leave no report'],
  [/^src\/server\/http\/hub\/hub-watch\.ts$/, /\/metrics\.ts$/, 'only a hub has metrics'],
  [/^src\/adapters\/models\/connect\.ts$/, /\/ollama\.ts$/, 'a model belongs to one provider'],
  [
    /^src\/(?:adapters|workflow)\//,
    /^(?:croner|yaml|ai|@ai-sdk\/.*|ollama-ai-provider-v2|@pydantic\/genai-prices|kysely\/migration)$/,
    'loading the package takes longer than all else at a start',
  ],
  [/^dashboard\//, /^dashboard\//, 'a page brings its code when it is opened'],
]

/** A repository with its state, and the three parts that it is put together from. */
const thirds = /^src\/app\/(?:drydock|installation|state-access|ownership)\.ts$/
const wholeParameter = /[\w}\]]\??: (?:\w+\s*&\s*)*(?:Drydock|Installation|StateAccess|Ownership)(?=\s*(?:[,)=&]|$))/gm
/** Parameters and fields that take one of them whole. Lower it with each that needs less. */
const mostWhole = 49

/** The folders whose comments are checked: all that have code of our own. */
const plainComments = ['src/', 'dashboard/', 'test/', 'bench/', 'scripts/']
/** A clause, a genitive or a pronoun without its noun, where a comment needs a subject. */
const noSubject =
  /^(?:What(?:ever)?|Of|Who(?:ever)?|Whose|Whom|How|Where|Whether|It|Its|They|Their|Them)\b|^The same (?:for|of|as|in)\b/
/** Wordings that an engineer would not write; `there is no` and `goes on the` are English. */
const unusualWording =
  /(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b)|\bgoes on\b(?! (?:a|an|the|top)\b)|\bunder way\b/

/** Irregular participles, and words that end like the regular ones. */
const bareParticiple =
  /^(?:export )?(?:interface|type) (?:(?!Feed\b|Seed\b|Need\b|Speed\b)[A-Z][a-z]+ed|Told|Given|Made|Found|Kept|Said|Seen|Sent|Shown|Known|Taken|Done|Held|Heard|Written|Chosen|Begun|Bound|Led|Meant|Left|Read|Spoken|Cut)\b/gm

const rules: readonly Rule[] = [
  {
    sentence:
      'imports go one way: domain, ports, agents and gate, workflow, app, server and cli; compose sees everything',
    check: (files) =>
      internalImports(files).flatMap(({ from, to }) => {
        const allowed = mayImport[part(from)]
        if (allowed === undefined) return [`${from}: "${part(from)}" is no part of the architecture`]
        const fine = part(from) === part(to) || allowed.includes(part(to)) || shownEverywhere.includes(to)
        return fine ? [] : [`${from} imports ${to}`]
      }),
    breaches: [
      { 'src/domain/a.ts': "import { b } from '../ports/b.ts'" },
      { 'src/agents/a.ts': "import type { B } from '../workflow/b.ts'" },
      { 'src/gate/a.ts': "import type { B } from '../workflow/b.ts'" },
      { 'src/gate/a.ts': "import type { B } from '../agents/b.ts'" },
      { 'src/workflow/a.ts': "const { b } = await import('../adapters/git/b.ts')" },
      { 'src/cli/a.ts': "import {\n  b,\n} from '../workflow/b.ts'" },
      { 'src/server/http/a.ts': "import { b } from '../../workflow/b.ts'" },
      { 'src/app/a.ts': "import type { B } from '../server/b.ts'" },
      { 'src/app/a.ts': "import type { B } from '../cli/b.ts'" },
      { 'src/evaluation/a.ts': "import { b } from '../workflow/b.ts'" },
      { 'src/workflow/a.ts': "import { b } from '../security/b.ts'" },
      { 'src/adapters/git/a.ts': "import '../../config/load.ts'" },
      { 'dashboard/a.ts': "import type { B } from '../src/domain/b.ts'" },
      { 'src/misplaced/a.ts': "import { b } from '../domain/b.ts'" },
    ],
  },
  {
    sentence: 'the gate reads history and works in work trees; neither the user’s repository nor publishing is its',
    check: (files) =>
      internalImports(files).flatMap(({ from, to }) =>
        part(from) === 'gate' && /^src\/ports\/(?:user-repository|publisher)\.ts$/.test(to)
          ? [`${from} imports ${to}`]
          : [],
      ),
    breaches: [
      { 'src/gate/a.ts': "import type { UserRepository } from '../ports/user-repository.ts'" },
      { 'src/gate/layers/a.ts': "import type { Publisher } from '../../ports/publisher.ts'" },
    ],
  },
  {
    sentence: 'the text of acceptance tests is read by the workflow that writes and tries them, and for people',
    check: (files) =>
      internalImports(files).flatMap(({ from, to }) => {
        const isForPeople =
          to === 'src/app/views/acceptance/read-story-tests.ts' &&
          !['src/cli/commands/acceptance.ts', 'src/app/operations/read/reads.ts'].includes(from)
        const isStored =
          to === 'src/workflow/architect/acceptance/story-tests.ts' &&
          part(from) !== 'workflow' &&
          !['src/app/views/acceptance/read-story-tests.ts', 'src/app/operations/act/decide-tests.ts'].includes(from)
        return isForPeople || isStored ? [`${from} imports ${to}`] : []
      }),
    breaches: [
      { 'src/server/mcp/a.ts': "import { a } from '../../app/views/acceptance/read-story-tests.ts'" },
      { 'src/app/views/a.ts': "import { a } from '../../workflow/architect/acceptance/story-tests.ts'" },
    ],
  },
  {
    sentence: 'a command about work is given by its operation, and its path is written in src/api alone',
    check: (files) =>
      files.flatMap((file) => {
        const isDoor = ['cli', 'server', 'app', 'compose'].includes(part(file.path))
        if (!isDoor || file.path.startsWith('src/app/operations/')) return []
        const given = commandsBeside.includes(file.path) ? [] : matches(file, /\.submit\(|\bhandOver\(/g)
        return [...given, ...matches(file, /['"`]\/api\/(?!\*)[a-z]+/g)]
      }),
    breaches: [
      { 'src/cli/commands/a.ts': "await drydock.submit(`cancel/${id}`, { kind: 'cancel', run })" },
      { 'src/server/mcp/a.ts': "await handOver(drydock, key, { kind: 'post', run, story, text })" },
      { 'src/app/hub/a.ts': 'await ask(`/api/runs/${run}/cancel`)' },
    ],
  },
  {
    sentence: 'functions take the parts of a repository that they use; the whole, or a whole third, goes to few',
    check: (files) => {
      const whole = files.flatMap((file) => {
        const takes = internalImports([file]).some(({ to }) => thirds.test(to))
        const text = code(file).replace(/\b(?:Pick|Omit)<[^<>]*>/g, 'Part')
        return takes || thirds.test(file.path) ? matches({ ...file, text }, wholeParameter) : []
      })
      return whole.length > mostWhole ? whole : []
    },
    breaches: [
      {
        'src/app/a.ts': `import type { Drydock } from './drydock.ts'\n${'(drydock: Drydock) => 1\n'.repeat(50)}`,
      },
      {
        'src/app/views/a.ts': `import type { Ownership } from '../ownership.ts'\n${'  readonly here: Ownership\n'.repeat(50)}`,
      },
      {
        'src/cli/a.ts': `import type { StateAccess } from '../app/state-access.ts'\n${"({ user }: Pick<Installation, 'user'> & StateAccess,\n".repeat(50)}`,
      },
    ],
  },
  {
    sentence: 'folders of adapters never import each other',
    check: (files) =>
      internalImports(files).flatMap(({ from, to }) =>
        part(from) === 'adapters' && part(to) === 'adapters' && adapter(from) !== adapter(to)
          ? [`${from} imports ${to}`]
          : [],
      ),
    breaches: [{ 'src/adapters/git/a.ts': "import { b } from '../store/b.ts'" }],
  },
  {
    sentence: 'only compose.ts and its parts construct adapters',
    check: (files) =>
      internalImports(files).flatMap(({ from, to }) =>
        part(to) === 'adapters' && part(from) !== 'adapters' && !composing.includes(from)
          ? [`${from} imports ${to}`]
          : [],
      ),
    breaches: [
      { 'src/cli/a.ts': "import { b } from '../adapters/git/b.ts'" },
      { 'src/compose/a.ts': "import { b } from '../adapters/git/b.ts'" },
    ],
  },
  {
    sentence: 'a command that starts work imports nothing of the work, nor any module that loads what it does not need',
    check: (files) => {
      const reached = importedAtOnce(files, 'src/cli/commands/start/start.ts')
      const internal = [...reached.keys()].filter((path) => path === 'src/compose/own-state.ts')
      return [
        ...internal.map((path) => `it imports ${path}`),
        ...[...reached].flatMap(([path, external]) =>
          external.filter((name) => notAtStart.test(name)).map((name) => `${path} imports ${name}`),
        ),
      ]
    },
    breaches: [
      {
        'src/cli/commands/start/start.ts': "import { a } from '../../../compose.ts'",
        'src/compose.ts': "import { b } from './compose/own-state.ts'",
        'src/compose/own-state.ts': '',
      },
      {
        'src/cli/commands/start/start.ts': "import { a } from './a.ts'",
        'src/cli/commands/start/a.ts': "import { request } from 'node:http'",
      },
      { 'src/cli/commands/start/start.ts': "import pg from 'pg'" },
    ],
  },
  {
    sentence: 'domain imports nothing from outside, and knows neither clock, chance, process nor timer',
    check: (files) =>
      files
        .filter((file) => part(file.path) === 'domain')
        .flatMap((file) => [
          ...externalImports(file).map((name) => `${file.path} imports ${name}`),
          ...matches(
            file,
            /\b(?:Date\.now|Math\.random|performance|process|crypto|fetch|console|globalThis)\b(?=[.([]|$)/g,
          ),
          ...matches(file, /\bDate\.now\b|\bMath\.random\b|\bnew Date\(\s*\)/g),
          ...matches(file, /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g),
        ]),
    breaches: [
      { 'src/domain/a.ts': "import { join } from 'node:path'" },
      { 'src/domain/a.ts': "import type { z } from 'zod'" },
      { 'src/domain/a.ts': 'export const a = () => Date.now()' },
      { 'src/domain/a.ts': 'export const a = () => new Date()' },
      { 'src/domain/a.ts': 'export const a = () => Math.random()' },
      { 'src/domain/a.ts': 'export const a = () => process.pid' },
      { 'src/domain/a.ts': 'export const a = () => setTimeout(() => {}, 1)' },
    ],
  },
  {
    sentence: 'agents, the gate, the workflow and app wait by the clock',
    check: (files) =>
      files
        .filter((file) => ['agents', 'gate', 'workflow', 'app'].includes(part(file.path)))
        // The bell delays the whole process, not the work.
        .filter(({ path }) => path !== 'src/app/wait/bell.ts')
        .flatMap((file) => matches(file, /\b(?:setTimeout|setInterval)\b|'(?:node:)?timers(?:\/promises)?'/g)),
    breaches: [
      { 'src/workflow/a.ts': 'const timer = setTimeout(look, 50)' },
      { 'src/app/a.ts': "import { scheduler } from 'node:timers/promises'" },
    ],
  },
  {
    sentence: 'a file is replaced whole by files/write-whole.ts, and by git’s own rules in its folders',
    check: (files) =>
      files
        .filter(({ path }) => !insideSandbox.test(path) && !writersOfDrafts.includes(path))
        .flatMap((file) =>
          matches(file, /\b(?:writeFile|open)(?:Sync)?\(([\w.]+|`[^`]*`),[\s\S]*?\b(?:rename|link)(?:Sync)?\(\1,/g),
        ),
    breaches: [
      { 'src/adapters/git/a.ts': 'await writeFile(draft, text)\nawait rename(draft, file)' },
      { 'src/adapters/git/a.ts': 'await writeFile(`${file}.new`, text)\nawait rename(`${file}.new`, file)' },
      { 'src/server/http/a.ts': "const handle = await open(draft, 'wx')\nawait link(draft, file)" },
    ],
  },
  {
    sentence: 'one helper each tells objects from other values, reads JSON that may be none, and splits what streams',
    check: (files) =>
      files
        .filter(({ path }) => !insideSandbox.test(path) && !path.startsWith('dashboard/'))
        .flatMap((file) => [
          ...(file.path === 'src/domain/json.ts'
            ? []
            : [
                ...matches(file, /typeof (\w+) [!=]== 'object'[^\n]*!?Array\.isArray\(\1\)/g),
                ...matches(
                  file,
                  /try \{\s*return JSON\.parse\([^\n]*\s*\} catch[^{]*\{\s*return (?:null|undefined)\b/g,
                ),
              ]),
          ...(file.path === 'src/domain/line-splitter.ts'
            ? []
            : matches(file, /\.on\('data',[\s\S]{0,200}?\.split\('\\n'\)|\.indexOf\(10\b/g)),
        ]),
    breaches: [
      { 'src/app/a.ts': "return typeof value === 'object' && value !== null && !Array.isArray(value)" },
      { 'src/app/a.ts': "if (typeof value !== 'object' || value === null || Array.isArray(value)) return" },
      { 'src/app/a.ts': 'try {\n  return JSON.parse(text)\n} catch {\n  return null\n}' },
      { 'src/app/a.ts': "socket.on('data', (text) => {\n  const lines = `${rest}${text}`.split('\\n')\n})" },
      { 'src/app/a.ts': 'const end = chunk.indexOf(10)' },
    ],
  },
  {
    sentence: 'no folder is read by the recursion of readdir, which follows the links of a repository anywhere',
    check: (files) =>
      files
        .filter((file) => !['security', 'evaluation'].includes(part(file.path)))
        .flatMap((file) => matches(file, /\breaddir(?:Sync)?\([^)]*\brecursive: true/g)),
    breaches: [{ 'src/adapters/git/a.ts': 'const all = await readdir(folder, { recursive: true })' }],
  },
  {
    sentence: 'ports import no package, and agents none but zod',
    check: (files) =>
      files.flatMap((file) => {
        const allowed = { ports: [], agents: ['zod'] }[part(file.path)]
        if (allowed === undefined) return []
        return externalImports(file)
          .filter((name) => !name.startsWith('node:') && !allowed.some((one) => one === name))
          .map((name) => `${file.path} imports ${name}`)
      }),
    breaches: [
      { 'src/ports/a.ts': "import type { z } from 'zod'" },
      { 'src/agents/tools/a.ts': "import { generateText } from 'ai'" },
    ],
  },
  {
    sentence: 'the environment is read by config alone, once where a process starts, and for what tests have built',
    check: (files) =>
      files
        .filter((file) => part(file.path) !== 'config' && !insideSandbox.test(file.path))
        .flatMap((file) => {
          const found = matches(
            file,
            /\bprocess\s*\??\.\s*env\b|\bprocess\[|\benv\b[^=\n]*\}\s*=\s*process\b|^import\b[^;=]*?\benv\b[^;=]*?'node:process'/gm,
          )
          const once = ['src/boot/main.ts', 'src/cli/main.ts', 'src/processes/installation.ts']
          return once.includes(file.path) ? found.slice(1) : found
        }),
    breaches: [
      { 'src/adapters/models/a.ts': 'const key = process.env.ANTHROPIC_API_KEY' },
      { 'src/workflow/a.ts': 'const { env } = process' },
      { 'src/agents/a.ts': "import { env } from 'node:process'" },
      { 'src/cli/main.ts': 'main(process.env)\nother(process.env)' },
    ],
  },
  {
    sentence: 'what the bundle starts with takes types of the program and no values, which it loads',
    check: (files) =>
      files
        .filter((file) => part(file.path) === 'boot')
        .flatMap((file) => matches(file, /^import (?!type\b)[^;']*'\.\.\/[^']*'/gm)),
    breaches: [{ 'src/boot/main.ts': "import { runCommandLine } from '../cli/run-command-line.ts'" }],
  },
  {
    sentence: 'one function starts processes on the host',
    check: (files) =>
      files
        .filter(({ path }) => !['src/processes/start-program.ts', scriptInside].includes(path))
        .filter(({ path }) => !insideSandbox.test(path))
        .flatMap((file) =>
          matches(
            file,
            /^import (?!type\b)[^;='"]*'(?:node:)?(?:child_process|cluster)'|\bimport\(\s*'(?:node:)?(?:child_process|cluster)'/gm,
          ),
        ),
    breaches: [
      { 'src/adapters/git/a.ts': "import { spawn } from 'node:child_process'" },
      { 'src/cli/a.ts': "import { type ChildProcess, fork } from 'child_process'" },
      { 'src/workflow/a.ts': "const { spawn } = await import('node:child_process')" },
    ],
  },
  {
    sentence:
      'the dashboard takes types from the API and no values, which would bring a schema library into the browser',
    check: (files) =>
      files
        .filter((file) => part(file.path) === 'dashboard')
        .flatMap((file) => matches(file, /^import (?!type\b)[^;']*'[^']*\/src\/api\/[^']*'/gm)),
    breaches: [{ 'dashboard/pages/a.tsx': "import { routes } from '../../src/api/routes.ts'" }],
  },
  {
    sentence: 'the dashboard makes elements with JSX alone, whose runtime shows hidden characters',
    check: (files) =>
      files
        .filter(({ path }) => path.startsWith('dashboard/') && path !== 'dashboard/shown/jsx-runtime.ts')
        .flatMap((file) =>
          matches(
            file,
            /\bcreateElement\((?!'a'\))|\bdangerouslySetInnerHTML\b|\b(?:inner|outer)HTML\b|\binsertAdjacent\w+|\.textContent =|\bcreateTextNode\b|\bdocument\.title = (?!markedText\()|\bnew Notification\((?!(?:'[^']*'|markedText\(\w+\)), \{ body: markedText\()/g,
          ),
        ),
    breaches: [
      { 'dashboard/pages/a.tsx': "const a = createElement('span', {}, name)" },
      { 'dashboard/pages/a.tsx': 'const a = <p dangerouslySetInnerHTML={{ __html: text }} />' },
      { 'dashboard/pages/a.tsx': 'document.title = name' },
      { 'dashboard/pages/a.tsx': 'new Notification(name)' },
    ],
  },
  {
    sentence: 'the state of a machine is set by its table alone: nobody stores one but the store',
    check: (files) =>
      files
        .filter(({ path }) => !path.startsWith('src/adapters/store/') && path !== 'src/ports/store.ts')
        .flatMap((file) => matches(file, /\binsertMachine\b/g)),
    breaches: [{ 'src/workflow/a.ts': "await tx.insertMachine({ ...story, state: 'DONE' })" }],
  },
  {
    sentence: 'a Run begins in one step and ends in one, whatever was asked for',
    check: (files) =>
      files
        .filter(({ path }) => path.startsWith('src/workflow/') && !/\/run\/(?:begin|end)-run\.ts$/.test(path))
        .flatMap((file) => matches(file, /(?<!function )\b(?:reserveBranch|announceUnpriced|leaveElsewhere)\(/g)),
    breaches: [
      { 'src/workflow/architect/a.ts': 'const branch = await reserveBranch(tx, run, existing)' },
      { 'src/workflow/architect/a.ts': 'await announceUnpriced(tx, run, { models, budget })' },
      { 'src/workflow/run/end-task.ts': 'if (await leaveElsewhere(deps, stories, commit)) return' },
    ],
  },
  {
    sentence: 'whether a Run names its stories is read where its policy is chosen',
    check: (files) =>
      files
        .filter(({ path }) => path.startsWith('src/') && path !== 'src/domain/run/run-policy.ts')
        .flatMap((file) => matches(file, /\bpolicy\.stories\b/g)),
    breaches: [{ 'src/app/a.ts': "const isNamed = run.data.policy.stories === 'named'" }],
  },
  {
    sentence: 'jobs are for the store and the engine alone: everybody else says what follows for a machine',
    check: (files) =>
      files
        .filter(({ path }) => !/^src\/(?:adapters\/(?:store|engine)\/|ports\/jobs\.ts$)/.test(path))
        .flatMap((file) => [
          ...imports(file)
            .filter((name) => name.endsWith('/ports/jobs.ts'))
            .map((name) => `${file.path} imports ${name}`),
          ...matches(file, /\.(?:jobs|jobsOf|endJob)\(/g),
        ]),
    breaches: [
      { 'src/workflow/a.ts': "import type { Job } from '../ports/jobs.ts'" },
      { 'src/workflow/a.ts': 'for (const { id } of await tx.jobsOf(run)) await tx.endJob(id)' },
      { 'src/cli/a.ts': 'const busy = (await records.jobs()).length > 0' },
    ],
  },
  {
    sentence: 'nobody but app asks the store for a screen: cli and server may open it and close it, no more',
    check: (files) =>
      files
        .filter(({ path }) => ['cli', 'server'].includes(part(path)))
        .flatMap((file) => [
          ...internalImports([file])
            .filter(({ to }) => to === 'src/ports/store.ts' || to === 'src/app/reading.ts')
            .map(({ to }) => `${file.path} imports ${to}`),
          ...matches(file, /\brecords\??\.(?!close\b)\w+|\bopenRecords\(\)\??\.\w+|\.(?:machineOf|machines?)\(/g),
        ]),
    breaches: [
      { 'src/cli/a.ts': "const runs = await records.machines({ kind: 'run' })" },
      { 'src/cli/a.ts': "const run = await state.machineOf('run', id)" },
      { 'src/cli/a.ts': 'const last = await drydock.openRecords().lastEvent()' },
      { 'src/cli/a.ts': "import { reading } from '../app/reading.ts'" },
      { 'src/server/http/a.ts': "import type { Records } from '../../ports/store.ts'" },
      { 'src/server/http/a.ts': 'const message = await records?.chatMessage(id)' },
    ],
  },
  {
    sentence: 'no import cycle',
    check: (files) => cycles(internalImports(files)),
    breaches: [
      { 'src/domain/a.ts': "import { b } from './b.ts'", 'src/domain/b.ts': "import type { A } from './a.ts'" },
      {
        'src/agents/a.ts': "import { b } from './b.ts'",
        'src/agents/b.ts': "import { c } from './tools/c.ts'",
        'src/agents/tools/c.ts': "import { a } from '../a.ts'",
      },
    ],
  },
  {
    sentence: 'relative imports name their file, and all imports are literal but those of the bundle',
    check: (files) =>
      files.flatMap((file) => [
        ...imports(file)
          .filter((name) => name.startsWith('.') && !/\.(?:tsx?|json|css)$/.test(name))
          .map((name) => `${file.path} imports ${name}`),
        ...(file.path === loader
          ? []
          : matches(file, /(?<![.\w])import\((?!\s*['"])|(?<![.\w])require\(|\bcreateRequire\b/g)),
      ]),
    breaches: [
      { 'src/cli/a.ts': "import { b } from './b.js'" },
      { 'src/cli/a.ts': 'const b = await import(name)' },
      { 'src/cli/a.ts': "const b = require('./b.ts')" },
    ],
  },
  {
    sentence: 'a type is named by a noun, not by a bare participle',
    alsoIn: ['test', 'bench', 'scripts'],
    check: (files) => files.flatMap((file) => matches(file, bareParticiple)),
    breaches: [
      { 'src/a.ts': 'interface Wanted {\n  readonly path: string\n}' },
      { 'src/domain/a.ts': 'export type Told = string' },
      { 'dashboard/a.ts': 'export interface Answered<Value> {\n  readonly value: Value\n}' },
    ],
  },
  {
    sentence: 'no object is spread for the layout of a line alone',
    check: (files) => files.flatMap((file) => matches(file, /(?<=^\s*|[{,] )\.\.\.\{/gm)),
    breaches: [{ 'src/a.ts': 'const a = {\n  ...{ b, c },\n  d,\n}' }, { 'src/a.ts': 'const a = { ...{ b }, c }' }],
  },
  {
    sentence: 'an import that waits until it is needed is listed with its reason',
    check: (files) =>
      files.flatMap((file) =>
        importedLate(file)
          .filter((to) => !lateImports.some(([by, what]) => by.test(file.path) && what.test(to)))
          .map((to) => `${file.path} imports ${to} late`),
      ),
    breaches: [
      { 'src/app/a.ts': "const { readRuns } = await import('./views/runs.ts')" },
      { 'src/cli/commands/a.ts': "const { b } = await import('../screen/b.ts')" },
      { 'src/adapters/store/a.ts': "import('pg').then(({ Client }) => Client)" },
      { 'src/adapters/forge/a.ts': "const all = import(\n  './everything.ts',\n)" },
    ],
  },
  {
    // The bundle combines many modules in one file, and drops unused ones.
    sentence: 'where its own file lies is asked by what a process starts with and by the installation alone',
    check: (files) =>
      files
        .filter((file) => part(file.path) !== 'dashboard' && !insideSandbox.test(file.path))
        .filter(({ path }) => !['src/boot/main.ts', 'src/processes/installation.ts'].includes(path))
        .flatMap((file) => matches(file, /\bimport\.meta\.\w+/g)),
    breaches: [{ 'src/security/a.ts': 'const script = `import ${import.meta.url}`' }],
  },
  {
    sentence: 'no default exports',
    check: (files) => files.flatMap((file) => matches(file, /^export default\b|^export \{[^}]*\bas default\b/gm)),
    breaches: [{ 'src/cli/a.ts': 'export default 1' }, { 'src/cli/a.ts': 'const a = 1\nexport { a as default }' }],
  },
  {
    sentence: 'no barrels: nothing is exported from where it is not made',
    check: (files) => files.flatMap((file) => matches(file, /^export (?:type )?(?:\*|\{[^}]*\})[^'"\n]*\bfrom\b/gm)),
    breaches: [
      { 'src/domain/a.ts': "export * from './b.ts'" },
      { 'src/domain/a.ts': "export {\n  b,\n} from './b.ts'" },
      { 'src/domain/a.ts': "export type { B } from './b.ts'" },
    ],
  },
  {
    sentence: 'file names are kebab-case and say what is inside',
    check: (files) =>
      files
        .map(({ path }) => path)
        .filter((path) => {
          const name = basename(path).replace(/(?:\.d)?\.tsx?$/, '')
          const vague = name
            .split('-')
            // `services` in the plural is a part of the configuration.
            .some((word) => /^(?:(?:util|helper|manager|handler|driver)s?|service|common|misc)$/.test(word))
          return vague || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
        }),
    breaches: [{ 'src/cli/git-utils.ts': '' }, { 'src/cli/runStory.ts': '' }, { 'src/cli/run_story.ts': '' }],
  },
  {
    sentence: 'a line of a comment has at most 100 characters',
    check: (files) =>
      files.flatMap(({ path, text }) =>
        text
          .split('\n')
          .filter((line) => /^\s*(?:\/\*\*?|\*|\/\/)(?! biome-ignore) /.test(line) && line.length > 100)
          .map((line) => `${path}: ${line.trim()}`),
      ),
    breaches: [
      { 'src/cli/a.ts': `// ${'a '.repeat(50)}` },
      { 'src/cli/a.ts': `/** ${'a '.repeat(50)}*/` },
      { 'src/cli/a.ts': `/**\n * ${'a '.repeat(50)}\n */` },
    ],
  },
  {
    sentence: 'a comment begins with its subject, in the usual words',
    alsoIn: ['test', 'bench', 'scripts'],
    check: (files) =>
      files
        .filter(({ path }) => plainComments.some((folder) => path.startsWith(folder)))
        .flatMap((file) =>
          commentsIn(file)
            .filter((text) => noSubject.test(text) || unusualWording.test(text))
            .map((text) => `${file.path}: ${text}`),
        ),
    breaches: [
      { 'src/domain/a.ts': '/** What a step has printed. */' },
      { 'src/workflow/a.ts': '// What goes back is tried again.' },
      { 'test/a.test.ts': '/** What a lane was told. */' },
      { 'bench/a.ts': '/** Of all runs together. */' },
      { 'scripts/a.ts': '// Its own block.' },
      { 'src/domain/a.ts': '/** Of the story. */' },
      { 'src/ports/a.ts': '/** Who has accepted it; null while it is open. */' },
      { 'src/ports/a.ts': '// Whom no rule names gets no access.' },
      { 'src/gate/a.ts': '/** Whose lane it is. */' },
      { 'src/gate/a.ts': '/** How often it was tried. */' },
      { 'src/gate/a.ts': '/**\n * Where the commit is,\n * as a path.\n */' },
      { 'src/agents/a.ts': 'const a = 1\n// Whether it may be asked again.\nconst b = 2' },
      { 'src/agents/a.ts': '  // It is ended already.' },
      { 'src/agents/a.ts': '/** The same for a local server. */' },
      { 'src/domain/a.ts': '/** A text that is no path. */' },
      { 'src/domain/a.ts': '/**\n * The story goes\n * on elsewhere.\n */' },
      { 'src/domain/a.ts': '/** Calls under way. */' },
    ],
  },
  {
    sentence: 'a part of the dashboard that gives a command is made by forOperators',
    check: (files) =>
      files
        .filter(
          (file) =>
            file.path.endsWith('.tsx') &&
            /data\/commands\.ts'|\buse(?:SubmitReview|Land|DrainWorker)\b/.test(code(file)),
        )
        .flatMap(({ path, text }) => (text.includes('forOperators(') ? [] : [path])),
    breaches: [
      { 'dashboard/pages/a.tsx': "import { usePause } from '../data/commands.ts'" },
      { 'dashboard/pages/a.tsx': "import { useLand } from './use-finish.ts'" },
    ],
  },
  {
    sentence: 'a folder holds at most forty files',
    check: overfull,
    breaches: [Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`src/cli/a${at}.ts`, '']))],
  },
  {
    sentence: 'files have at most 300 lines',
    check: (files) =>
      files.flatMap(({ path, text }) => {
        const lines = text.trimEnd().split('\n').length
        return lines > 300 ? [`${path} has ${lines} lines`] : []
      }),
    breaches: [{ 'src/cli/a.ts': 'x()\n'.repeat(301) }],
  },
]

const source = readSource()

describe('the architecture', () => {
  test.each(rules)('$sentence', ({ check, alsoIn = [] }) => {
    expect(check([...source, ...readSource(alsoIn)])).toEqual([])
  })
})

test('a folder of tests, benchmarks or scripts holds at most forty files, too', () => {
  expect(overfull(readSource(['test', 'bench', 'scripts']))).toEqual([])
})

describe('a breach is noticed', () => {
  test.each(rules)('$sentence', ({ check, breaches }) => {
    for (const breach of breaches) {
      const files = Object.entries(breach).map(([path, text]) => ({ path, text }))
      expect(check(files), JSON.stringify(breach)).not.toEqual([])
    }
  })

  test('code in comments is not a breach', () => {
    const text =
      "/**\n * import('../adapters/git/b.ts'), process.env, new Date()\n */\n// Math.random()\nexport const a = 1\n"
    const files = [{ path: 'src/domain/a.ts', text }]
    expect(rules.flatMap(({ check }) => check(files))).toEqual([])
  })

  test('a comment with a subject is not a breach', () => {
    const text = [
      '/** True where the step ended; null while there is no result. */',
      '// A draining worker still learns what it may take.',
      "const how = 'How it ended'",
      '/** Itself a blob: the note goes on the commit, which is no longer open. */',
    ].join('\n\n')
    const rule = rules.find(({ sentence }) => sentence.startsWith('a comment begins'))
    expect(rule?.check([{ path: 'src/domain/a.ts', text }])).toEqual([])
  })

  test('each listed import that waits is there', () => {
    const late = source.flatMap((file) => importedLate(file).map((to) => ({ from: file.path, to })))
    const unused = lateImports.filter(([by, what]) => !late.some(({ from, to }) => by.test(from) && what.test(to)))
    expect(unused).toEqual([])
  })

  test('every source file is looked at', () => {
    expect(source.map(({ path }) => path)).toContain('src/domain/story/story-machine.ts')
    expect(source.flatMap(imports).length).toBeGreaterThan(10)
  })
})

function readSource(folders: readonly string[] = ['src', 'dashboard']): readonly SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && entry.name !== 'vite.config.ts')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: relative(root, file), text: readFileSync(file, 'utf8') }))
}

function overfull(files: readonly SourceFile[]): readonly string[] {
  return Object.entries(Object.groupBy(files, ({ path }) => dirname(path)))
    .filter(([, within = []]) => within.length > 40)
    .map(([folder, within = []]) => `${folder} holds ${within.length} files`)
}

/** Comments fill whole lines here, so a scanner of lines is enough. */
function code(file: SourceFile): string {
  return file.text
    .split('\n')
    .map((line) => (/^\s*(?:\/\/|\/\*|\*(?:\s|\/|$))/.test(line) ? '' : line))
    .join('\n')
}

/** The text of each comment on one line; consecutive `//` lines are one comment. */
function commentsIn({ text }: SourceFile): readonly string[] {
  return [...text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|^(?:[ \t]*\/\/[^\n]*(?:\n|$))+/gm)].map(([comment]) =>
    comment
      .split('\n')
      .map((line) => line.replace(/^\s*(?:\/\*+|\*\/|\*|\/\/)/, '').replace(/\*\/\s*$/, ''))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

const importStatement = /^(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm
const importCall = /(?<![.\w])import\(\s*['"]([^'"]+)['"]/g

function imports(file: SourceFile): readonly string[] {
  const text = code(file)
  return [...text.matchAll(importStatement), ...text.matchAll(importCall)].map((match) => match[1] ?? match[2] ?? '')
}

/** The targets of `import()`: files from the root of the package, and packages by their names. */
function importedLate(file: SourceFile): readonly string[] {
  return [...code(file).matchAll(importCall)].map(([, name = '']) =>
    name.startsWith('.') ? posix.join(dirname(file.path), name) : name,
  )
}

function externalImports(file: SourceFile): readonly string[] {
  return imports(file).filter((name) => !name.startsWith('.'))
}

interface Import {
  readonly from: string
  readonly to: string
}

function internalImports(files: readonly SourceFile[]): readonly Import[] {
  return files.flatMap((file) =>
    imports(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => ({ from: file.path, to: posix.join(dirname(file.path), name) })),
  )
}

/**
 * Modules that load slower than everything else in a client; their users import them when needed.
 */
const notAtStart =
  /^(?:node:https?|yaml|tap-parser|fast-xml-parser|@agentclientprotocol|@modelcontextprotocol|@ai-sdk|@pydantic|pg$|aws4fetch|openid-client)/

/**
 * The modules that a file imports before its first line runs, transitively, each with its packages.
 */
function importedAtOnce(files: readonly SourceFile[], entry: string): ReadonlyMap<string, readonly string[]> {
  const known = new Map(files.map((file) => [file.path, file]))
  const reached = new Map<string, readonly string[]>()
  const look = (path: string) => {
    const file = known.get(path)
    if (file === undefined || reached.has(path)) return
    const statements = [...code(file).matchAll(importStatement)].filter(
      ([all]) => !/^(?:import|export) type\b/.test(all),
    )
    const names = statements.map((match) => match[1] ?? match[2] ?? '')
    reached.set(
      path,
      names.filter((name) => !name.startsWith('.')),
    )
    for (const name of names) if (name.startsWith('.')) look(posix.join(dirname(path), name))
  }
  look(entry)
  return reached
}

/** `domain` for `src/domain/json.ts`, `compose` for `src/compose.ts`. */
function part(path: string): string {
  if (path.startsWith('dashboard/')) return 'dashboard'
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '')
}

function adapter(path: string): string {
  return path.split('/')[2] ?? ''
}

function matches(file: SourceFile, pattern: RegExp): readonly string[] {
  return [...code(file).matchAll(pattern)].map((match) => `${file.path}: ${match[0]}`)
}

/** One line for each file that imports itself, directly or indirectly. */
function cycles(all: readonly Import[]): readonly string[] {
  const next = Map.groupBy(all, ({ from }) => from)
  const reachable = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    const open = [start]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const { to } of next.get(at) ?? []) {
        if (!seen.has(to)) open.push(to)
        seen.add(to)
      }
    }
    return seen
  }
  return [...next.keys()].filter((file) => reachable(file).has(file)).map((file) => `${file} imports itself in the end`)
}
