import { cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attack } from '../attack.ts'
import type { Range } from '../range.ts'
import type { Target } from '../target.ts'
import { verifyTarget } from '../verify-target.ts'
import { writeFiles } from '../write-files.ts'

interface Plant {
  readonly name: string
  /** Lines for the configuration of the agent's own repository. */
  readonly config?: (command: string) => string
  /** Writes the attack into a workspace; its `.git` belongs to the agent. */
  readonly plant?: (workspace: string, target: Target) => Promise<unknown>
  /**
   * Commands that run the attack if git reads the workspace's configuration; if they do not, the
   * attack does not apply to this machine.
   */
  readonly naive: readonly (readonly string[])[]
}

const attributes = '* filter=evil diff=evil merge=evil\n'
const hooks = [
  'post-index-change',
  'pre-commit',
  'post-checkout',
  'post-commit',
  'reference-transaction',
  'pre-auto-gc',
]

const change = (workspace: string) => writeFiles(workspace, { '.gitattributes': attributes, 'README.md': 'two\n' })

/** Every way in which git runs a program that a repository names. */
const plants: readonly Plant[] = [
  {
    name: 'hooks of git',
    async plant(workspace, { marker }) {
      await mkdir(join(workspace, '.git/hooks'), { recursive: true })
      for (const name of hooks) await cp(marker, join(workspace, '.git/hooks', name))
    },
    naive: [['checkout', '--quiet', '-B', 'other']],
  },
  {
    name: 'core.hooksPath',
    config: () => '[core]\n\thooksPath = planted-hooks\n',
    async plant(workspace, { marker }) {
      for (const name of hooks) await cp(marker, join(workspace, 'planted-hooks', name))
    },
    naive: [['checkout', '--quiet', '-B', 'other']],
  },
  { name: 'core.fsmonitor', config: (command) => `[core]\n\tfsmonitor = ${command}\n`, naive: [['status']] },
  {
    name: 'textconv',
    config: (command) => `[diff "evil"]\n\ttextconv = ${command}\n`,
    plant: change,
    naive: [['diff']],
  },
  {
    name: 'a clean filter',
    config: (command) => `[filter "evil"]\n\tclean = ${command}\n\trequired = true\n`,
    plant: change,
    naive: [['add', '--all']],
  },
  {
    name: 'a smudge filter',
    config: (command) => `[filter "evil"]\n\tsmudge = ${command}\n\trequired = true\n`,
    plant: change,
    naive: [['checkout-index', '--all', '--prefix=planted/']],
  },
  {
    name: 'a filter process',
    config: (command) => `[filter "evil"]\n\tprocess = ${command}\n`,
    plant: change,
    naive: [['add', '--all']],
  },
  {
    name: 'an external diff',
    config: (command) => `[diff]\n\texternal = ${command}\n`,
    plant: change,
    naive: [['diff']],
  },
  {
    name: 'includeIf',
    config: () => '[includeIf "gitdir:**"]\n\tpath = ../planted.inc\n',
    plant: (workspace, { marker }) => writeFiles(workspace, { 'planted.inc': `[core]\n\tfsmonitor = '${marker}'\n` }),
    naive: [['status']],
  },
  {
    name: 'core.sshCommand',
    config: (command) => `[core]\n\tsshCommand = ${command}\n[remote "origin"]\n\turl = ssh://planted.invalid/x\n`,
    naive: [['fetch', '--quiet', 'ssh://planted.invalid/x']],
  },
  {
    name: 'a remote’s upload-pack',
    config: (command) => `[remote "planted"]\n\turl = .\n\tuploadpack = ${command}\n`,
    naive: [['fetch', '--quiet', 'planted']],
  },
  {
    name: 'a .git file that leads to a git directory with a monitor',
    async plant(workspace, { marker }) {
      await rename(join(workspace, '.git'), join(workspace, 'elsewhere'))
      await writeFile(join(workspace, 'elsewhere/config'), `[core]\n\tfsmonitor = '${marker}'\n`)
      await writeFile(join(workspace, '.git'), 'gitdir: elsewhere\n')
    },
    naive: [['status']],
  },
]

const inWorkspace = ({ name, config, plant, naive }: Plant): Attack => ({
  row: 'host code',
  name: `an agent plants ${name}`,
  expected: 'nothing ran',
  async run(range) {
    const target = await range.newTarget()
    const workspace = await preparedWorkspace(range, target)
    await plant?.(workspace, target)
    if (config)
      await writeFile(join(workspace, '.git/config'), `[core]\n\tbare = false\n${config(`'${target.marker}'`)}`)
    // The command may fail after the attack has run.
    for (const args of naive) await target.git('-C', workspace, ...args).catch(() => undefined)
    if (!(await target.hasRun())) return { notApplicable: 'the git of this machine does not run it' }
    await everything(range, target)
    return (await target.hasRun()) ? 'it ran on the host' : 'nothing ran'
  },
})

/** Programs that Drydock starts, directly or indirectly. */
const startedByName = ['git', 'find', 'rm', 'chmod', 'mkfifo', 'du', 'cp', 'sync', 'unshare', 'bwrap', 'sh', 'mount']

const programsByName: Attack = {
  row: 'host code',
  name: 'an agent leaves programs in its workspace, and PATH begins with an empty and a relative entry',
  expected: 'nothing ran',
  async run(range) {
    const target = await range.newTarget({ env: { PATH: `:node_modules/.bin:${range.env.PATH}` } })
    const workspace = await preparedWorkspace(range, target)
    for (const folder of ['', 'node_modules/.bin']) {
      for (const name of startedByName)
        await writeFiles(join(workspace, folder), { [name]: `#!/bin/sh\nexec '${target.marker}'\n` })
    }
    await everything(range, target)
    return (await target.hasRun()) ? 'it ran on the host' : 'nothing ran'
  },
}

const slot = 'coder-001'

async function preparedWorkspace(
  { signal }: Range,
  { drydock: { workTrees, userRepository }, tip }: Target,
): Promise<string> {
  await workTrees.initialize([slot])
  await userRepository.updateMirror(signal)
  await workTrees.prepare({ slot, tip }, signal)
  return workTrees.path(slot)
}

/** Everything that Drydock does with a workspace and its results. */
async function everything(
  { signal }: Range,
  { drydock: { history, workTrees, publisher }, tip }: Target,
): Promise<void> {
  const kept = { slot, parents: [tip], ref: 'refs/drydock/attack/1', last: null, message: 'kept', at: new Date(0) }
  const snapshot = await workTrees.snapshot({ ...kept, setAside: true }, signal)
  await workTrees.ignored(slot, ['README.md', 'x.log'])
  if (snapshot.ok) {
    const { sha, tree } = snapshot.snapshot
    await history.diff({ from: tip, to: sha, maxBytes: 10_000 })
    await history.changedFiles(tip, sha)
    await history.merge({ ours: tip, theirs: sha })
    await workTrees.checkout(slot, sha, signal)
    await workTrees.prepare({ slot, tip, tree }, signal)
    await publisher.publish('drydock/attack', sha, null)
  }
  await workTrees.prepare({ slot, tip }, signal)
}

/** The files that a hostile repository has committed. */
const committedFiles = (marker: string) => ({
  '.env': `PLANTED=1\nDRYDOCK_HOME=/tmp/planted\nNODE_OPTIONS=--require=${marker}\n`,
  '.npmrc': `script-shell=${marker}\nregistry=http://127.0.0.1:9/\n`,
  '.gitattributes': attributes,
  '.lfsconfig': `[lfs]\n\tcustomtransfer.evil.path = ${marker}\n`,
  'package.json': JSON.stringify({
    name: 'planted',
    version: '1.0.0',
    scripts: Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'pretest'].map((name) => [name, marker]),
    ),
  }),
  'package-lock.json': JSON.stringify({ name: 'planted', version: '1.0.0', lockfileVersion: 3, packages: {} }),
  'pnpm-workspace.yaml': 'packages: []\n',
  'setup.py': `import os\nos.system(${JSON.stringify(marker)})\n`,
  Makefile: `all:\n\t${marker}\n`,
})

const packageManagers = ['npm', 'npx', 'pnpm', 'yarn', 'pip', 'pip3', 'python3', 'cargo', 'go', 'make', 'direnv']

const committed: Attack = {
  row: 'host code',
  name: 'a repository brings scripts of package managers, and Drydock’s own verification has it installed',
  expected: 'the verification ended; nothing ran on the host',
  async run(range) {
    const bin = await range.newFolder()
    const mark = join(bin, 'mark')
    // Put before the real ones in the host's PATH, so that every start is recorded.
    await writeFiles(
      bin,
      Object.fromEntries(packageManagers.map((name) => [name, `#!/bin/sh\n: > '${mark}'\nexit 1\n`])),
    )
    const prepare = [
      { name: 'install', command: 'mkdir -p node_modules', inputs: ['package-lock.json'], outputs: ['node_modules'] },
    ]
    const env = { PATH: `${bin}:${range.env.PATH}` }
    const target = await range.newTarget({ files: committedFiles(join(bin, 'npm')), prepare, env })
    const { exitCode } = await target.run(['verify', target.tip])
    const ran = (await target.git('-C', bin, 'hash-object', mark).catch(() => null)) !== null
    const ended = exitCode === 0 ? 'the verification ended' : `the verification ended with ${exitCode}`
    return `${ended}; ${ran ? 'a program' : 'nothing'} ran on the host`
  },
}

const dotEnv: Attack = {
  row: 'host code',
  name: 'a repository brings a .env',
  expected: 'a step sees 0 of its values, and no state went elsewhere',
  async run(range) {
    const elsewhere = join(range.folder, 'elsewhere')
    const target = await range.newTarget({
      files: { '.env': `PLANTED_BY_ENV=1\nDRYDOCK_HOME=${elsewhere}\n` },
      step: 'env | grep -c PLANTED_BY_ENV; true',
    })
    const { tail_log: log } = await verifyTarget(target)
    const moved = await target.git('-C', elsewhere, 'rev-parse').then(
      () => true,
      () => false,
    )
    return `a step sees ${log} of its values, and ${moved ? 'the' : 'no'} state went elsewhere`
  },
}

const submodule: Attack = {
  row: 'host code',
  name: 'a repository names a submodule whose address or update is a program',
  expected: 'nothing ran',
  async run(range) {
    const target = await range.newTarget()
    const { marker, git, drydock, tip, signal } = target
    const gitmodules = `[submodule "x"]\n\tpath = x\n\turl = ext::${marker}\n\tupdate = !${marker}\n\tshallow = true\n`
    await writeFiles(target.repository, { '.gitmodules': gitmodules })
    await git('update-index', '--add', '--cacheinfo', `160000,${tip},x`)
    const sha = await target.commit({})
    await preparedWorkspace(range, target)
    await drydock.workTrees.submodules(sha, signal)
    await drydock.workTrees.checkout(slot, sha, signal)
    await drydock.workTrees.prepare({ slot, tip: sha }, signal)
    return (await target.hasRun()) ? 'it ran on the host' : 'nothing ran'
  },
}

const alternates: Attack = {
  row: 'host code',
  name: 'an agent’s git directory borrows the objects of another repository',
  expected: 'not one of its objects came',
  async run(range) {
    const target = await range.newTarget()
    const secret = await range.newTarget({ files: { 'secret.txt': 'planted\n' } })
    const workspace = await preparedWorkspace(range, target)
    const objects = join(secret.repository, '.git/objects')
    await writeFiles(workspace, { '.git/objects/info/alternates': `${objects}\n`, '.git/HEAD': `${secret.tip}\n` })
    await everything(range, target)
    const mirror = join(target.drydock.state, 'mirror.git')
    const came = await target.git('--git-dir', mirror, 'cat-file', '-e', secret.tip).then(
      () => true,
      () => false,
    )
    return came ? 'its objects came' : 'not one of its objects came'
  },
}

export const hostCodeAttacks: readonly Attack[] = [
  ...plants.map(inWorkspace),
  programsByName,
  submodule,
  alternates,
  committed,
  dotEnv,
]
