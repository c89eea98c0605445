import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { ContainerClient } from './client.ts'

/** Without a capability these are of use in a namespace of one's own only, where they reach parts of the kernel that nothing else does. */
const namespaceCalls: readonly string[] = [
  ...['unshare', 'setns', 'mount', 'umount', 'umount2', 'pivot_root', 'mount_setattr', 'move_mount', 'open_tree'],
  ...['fsopen', 'fsconfig', 'fsmount', 'fspick', 'clone', 'clone3'],
]

/** All flags that make a namespace. */
const namespaceFlags = 0x7e020000
const noSuchCall = 38

const cloneRules = [
  {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  },
  // Its flags cannot be looked at; without it the C library takes the older one.
  { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: noSuchCall },
]

const profile = z.looseObject({ syscalls: z.array(z.looseObject({ names: z.array(z.string()) })) })

/**
 * The profile that podman has, but that nothing inside can make a namespace: docker's own says so already. null where podman has none of its own that
 * can be read, and for docker.
 */
export async function seccompProfile(client: ContainerClient): Promise<string | null> {
  if (client.program === 'docker') return null
  const { ok, output } = await client.run(['info', '--format', '{{.Host.Security.SECCOMPProfilePath}}'])
  const text = ok ? await readFile(output.trim(), 'utf8').catch(() => null) : null
  if (text === null) return null
  const { syscalls, ...others } = profile.parse(JSON.parse(text))
  const kept = syscalls
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !namespaceCalls.includes(name)) }))
    .filter(({ names }) => names.length > 0)
  return JSON.stringify({ ...others, syscalls: [...kept, ...cloneRules] })
}
