import { link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerReply, RunnerRequest, SandboxSpec } from '../../ports/sandbox.ts'
import { systemPath } from '../../processes/host-path.ts'
import { mustRun } from '../../processes/run-program.ts'
import { architectSpec } from '../../workflow/architect/architect-sandbox.ts'
import { agentSpec } from '../../workflow/lane/sandboxes.ts'
import type { Attack } from '../attack.ts'
import type { Range } from '../range.ts'

interface Workspaces {
  /** The workspace that may be read. */
  readonly own: string
  /** A workspace with a file that says `planted`. */
  readonly other: string
}

type RunnerQuery = RunnerRequest & { readonly op: 'read' | 'write' | 'list' | 'search' }

/** A request of a tool in a prepared workspace, and the expected answer. */
interface ReadAttack {
  readonly name: string
  readonly expected: string
  readonly prepare?: (workspaces: Workspaces) => Promise<unknown>
  readonly asked: RunnerQuery
}

const read = (path: string): RunnerQuery => ({ op: 'read', path, maxBytes: 1_000 })
const search = (pattern: string): RunnerQuery => ({ op: 'search', pattern, glob: null, max: 9 })

const outside = 'refused: outside'
const noFile = 'refused: not_a_file'

const inOwnWorkspace: readonly ReadAttack[] = [
  { name: 'an agent reads ../', expected: outside, asked: read('../../etc/passwd') },
  { name: 'an agent reads an absolute path', expected: outside, asked: read('/etc/passwd') },
  {
    name: 'an agent reads through a link',
    expected: outside,
    prepare: ({ own }) => symlink('/etc/passwd', join(own, 'link')),
    asked: read('link'),
  },
  {
    name: 'an agent reads through a linked folder',
    expected: outside,
    prepare: ({ own }) => symlink('/etc', join(own, 'folder')),
    asked: read('folder/passwd'),
  },
  {
    name: 'an agent searches in a linked folder',
    expected: 'nothing found',
    prepare: ({ own }) => symlink('/etc', join(own, 'folder')),
    asked: search('root:'),
  },
  {
    name: 'an agent writes through a link',
    expected: outside,
    prepare: ({ own }) => symlink('/tmp/planted', join(own, 'link')),
    asked: { op: 'write', path: 'link', base64: 'AAAA', before: null },
  },
  {
    name: 'an agent writes a hook of git',
    expected: outside,
    prepare: ({ own }) => mkdir(join(own, '.git/hooks'), { recursive: true }),
    asked: { op: 'write', path: '.git/hooks/pre-commit', base64: 'AAAA', before: null },
  },
  {
    name: 'an agent reads a pipe, which has no end',
    expected: noFile,
    prepare: ({ own }) => mustRun('mkfifo', [join(own, 'pipe')], { env: { PATH: systemPath } }),
    asked: read('pipe'),
  },
  {
    name: 'an agent reads a device, which has no end',
    expected: outside,
    prepare: ({ own }) => symlink('/dev/zero', join(own, 'zero')),
    asked: read('zero'),
  },
  {
    name: 'an agent reads a file of a terabyte',
    expected: 'refused: too_large',
    async prepare({ own }) {
      await writeFile(join(own, 'large'), '')
      await truncate(join(own, 'large'), 2 ** 40)
    },
    asked: read('large'),
  },
]

/** Requests to the sandbox that mounts every workspace, about one of them. */
const acrossWorkspaces: readonly ReadAttack[] = [
  {
    name: 'the architect reads a link from one workspace into another',
    expected: outside,
    prepare: ({ own }) => symlink('/mnt/coders/coder-002/secret.txt', join(own, 'link')),
    asked: read('link'),
  },
  { name: 'the architect reads ../ of one workspace', expected: outside, asked: read('../coder-002/secret.txt') },
  {
    name: 'the architect reads a file of another workspace that has a second name',
    expected: outside,
    prepare: ({ own, other }) => link(join(other, 'secret.txt'), join(own, 'hard')),
    asked: read('hard'),
  },
  {
    name: 'the architect searches where there is a link and a second name of another’s file',
    expected: 'nothing found',
    async prepare({ own, other }) {
      await symlink('/mnt/coders/coder-002', join(own, 'link'))
      await link(join(other, 'secret.txt'), join(own, 'hard'))
    },
    asked: search('planted'),
  },
]

export const readAttacks: readonly Attack[] = [
  ...inOwnWorkspace.map((each) =>
    toAttack(each, ({ own }) => agentSpec({ folder: own, access: 'write', readOnlyPaths: [] })),
  ),
  ...acrossWorkspaces.map((each) => {
    const root = '/mnt/coders/coder-001'
    const asked = { ...each.asked, root } as RunnerQuery
    return toAttack({ ...each, asked }, ({ own, other }) => {
      const path = (slot: string) => (slot === 'coder-001' ? own : other)
      return architectSpec({ workTrees: { path }, slots: ['coder-001', 'coder-002'], mirror: own })
    })
  }),
]

function toAttack(
  { name, expected, prepare, asked }: ReadAttack,
  specOf: (workspaces: Workspaces) => SandboxSpec,
): Attack {
  return {
    row: 'reads',
    name,
    expected,
    async run(range) {
      const own = await range.newFolder({ 'own.txt': 'own\n' })
      const other = await range.newFolder({ 'secret.txt': 'planted\n' })
      await prepare?.({ own, other })
      return ask(range, specOf({ own, other }), asked)
    },
  }
}

async function ask({ sandbox, signal }: Range, spec: SandboxSpec, asked: RunnerQuery): Promise<string> {
  const opened = await sandbox.open(spec, signal)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  try {
    return inWords(await opened.value.request(asked, signal))
  } finally {
    await opened.value.close()
  }
}

function inWords(reply: RunnerReply<RunnerQuery['op']>): string {
  if (!reply.ok) return `refused: ${reply.code}`
  const { value } = reply
  if ('base64' in value) return `read ${JSON.stringify(Buffer.from(value.base64, 'base64').toString().slice(0, 40))}`
  if ('matches' in value) return value.matches.length === 0 ? 'nothing found' : `found ${value.matches[0]?.text}`
  return 'done'
}
