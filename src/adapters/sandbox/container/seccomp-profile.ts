import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { deniedCalls, noSuchCall, socketFamilies } from '../denied-calls.ts'
import type { ContainerClient } from './client.ts'

/**
 * Without a capability these are of use in a namespace of one's own only, where they reach parts of
 * the kernel that nothing else does.
 */
const namespaceCalls: readonly string[] = [
  ...['unshare', 'setns', 'mount', 'umount', 'umount2', 'pivot_root', 'mount_setattr', 'move_mount', 'open_tree'],
  ...['fsopen', 'fsconfig', 'fsmount', 'fspick', 'clone', 'clone3'],
]

/** All flags that make a namespace. */
const namespaceFlags = 0x7e020000

const cloneRules = [
  {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  },
  // Its flags cannot be looked at; without it the C library takes the older one.
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

/** Rules of their own take the place of what the profile says of these. */
const replaced: readonly string[] = [...namespaceCalls, ...deniedCalls, 'socket']

const profile = z.looseObject({ syscalls: z.array(z.looseObject({ names: z.array(z.string()) })) })

/**
 * The profile that podman has, without namespaces, sockets of other families and `deniedCalls`.
 * null for docker, whose own denies the namespaces already, and where podman has no profile that
 * can be read.
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
