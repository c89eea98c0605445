import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { deniedCalls, noSuchCall, socketFamilies } from '../denied-calls.ts'
import type { ContainerClient } from './client.ts'

/**
 * Without capabilities, these calls are only useful in one's own namespace, where they reach parts
 * of the kernel that are otherwise unreachable.
 */
const namespaceCalls: readonly string[] = [
  'unshare',
  'setns',
  'mount',
  'umount',
  'umount2',
  'pivot_root',
  'mount_setattr',
  'move_mount',
  'open_tree',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'clone',
  'clone3',
]

/** All `clone` flags that create a namespace. */
const namespaceFlags = 0x7e020000

const cloneRules = [
  {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  },
  // The filter cannot inspect the flags of `clone3`; if it is missing, the C library uses `clone`.
  { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: noSuchCall },
]

const socketRules = [
  ...socketFamilies.map((family) => ({
    names: ['socket'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: family, valueTwo: 0, op: 'SCMP_CMP_EQ' }],
  })),
  { names: [...deniedCalls], action: 'SCMP_ACT_ERRNO', errnoRet: noSuchCall },
]

/** Names whose rules in the profile are replaced. */
const replaced: readonly string[] = [...namespaceCalls, ...deniedCalls, 'socket']

const profile = z.looseObject({ syscalls: z.array(z.looseObject({ names: z.array(z.string()) })) })

/**
 * podman's profile without namespaces, other socket families and `deniedCalls`. Null for docker,
 * whose own profile denies namespaces already, and if podman has no readable profile.
 */
export async function seccompProfile(client: ContainerClient): Promise<string | null> {
  if (client.program === 'docker') return null
  const { ok, output } = await client.run(['info', '--format', '{{.Host.Security.SECCOMPProfilePath}}'])
  const text = ok ? await readFile(output.trim(), 'utf8').catch(() => null) : null
  if (text === null) return null
  const { syscalls, ...others } = profile.parse(JSON.parse(text))
  const kept = syscalls
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !replaced.includes(name)) }))
    .filter(({ names }) => names.length > 0)
  return JSON.stringify({ ...others, syscalls: [...kept, ...cloneRules, ...socketRules] })
}
