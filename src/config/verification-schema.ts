import { z } from 'zod'
import { limits } from '../domain/limits.ts'

const seconds = (fallback: number) => z.int().min(1).max(86_400).default(fallback)
const text = z.string().trim().min(1)

/** A path that stays below the folder that it is relative to. */
const pathBelow = text.refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
  error: 'must be relative, without ".."',
})

const stepName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9._-]+$/, { error: 'may hold only letters, digits, ".", "_" and "-"' })

const uniqueNames = (entries: readonly { readonly name: string }[]) =>
  new Set(entries.map((entry) => entry.name)).size === entries.length

/**
 * The mount point of a layer: a folder of the repository, but neither the repository itself nor
 * git's folder.
 */
const outputFolder = pathBelow
  .transform((path) =>
    path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/'),
  )
  .refine((path) => path !== '' && path.split('/')[0]?.toLowerCase() !== '.git', {
    error: 'must be a folder below the root of the repository, other than .git',
  })

export const host = text.regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$/, {
  error: 'must be "registry" or the name of a host, with or without a port',
})

const prepareStep = z.strictObject({
  name: stepName,
  command: text.describe('Run by `sh -c` in a writable copy of the repository, once for each content of `inputs`.'),
  inputs: z.array(pathBelow).default([]).describe('Files whose content decides whether this must run again.'),
  outputs: z
    .array(outputFolder)
    .min(1)
    .describe('Folders that it makes, from the root of the repository; bound read-only where steps and agents work.'),
  timeout_sec: seconds(limits.prepareTimeoutSec),
  network: z.array(host).default([]).describe('Hosts it may reach; "registry" means those of the package manager.'),
})

const verificationStep = z.strictObject({
  name: stepName,
  command: text.describe(
    'Run by `sh -c` at the root of a clean checkout, read-only unless `writes` says otherwise, without a network.',
  ),
  timeout_sec: seconds(limits.stepTimeoutSec),
  junit: pathBelow.exactOptional().describe('A JUnit report that the command writes, relative to $ARTIFACT_DIR.'),
  services: z.array(stepName).exactOptional().describe('Names of the services that run beside it; all without it.'),
  writes: z
    .enum(['deny', 'overlay'])
    .exactOptional()
    .describe(
      'As `verification.writes`, for this step. With "deny" it sees what steps before it have written, and reads it only.',
    ),
})

const port = z.int().min(1_024).max(65_535)

const service = z
  .strictObject({
    name: stepName.refine((name) => !/^\.+$/.test(name), { error: 'must not be "." or ".."' }),
    command: text.describe(
      'Run by `sh -c` in the sandbox of each step, before the step; it stays in the foreground. $SERVICE_DIR is an empty folder.',
    ),
    ports: z.array(port).max(20).default([]).describe('Ports of 127.0.0.1 that it listens on.'),
    ready: z
      .strictObject({ port: port.exactOptional(), command: text.exactOptional() })
      .refine(({ port, command }) => (port === undefined) !== (command === undefined), {
        error: 'must have `port` or `command`, one of them',
      })
      .exactOptional()
      .describe('A port that accepts connections, or a command that ends with 0; without it, each of `ports`.'),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), text.max(10_000))
      .default({})
      .describe('Variables of the service and of the steps, such as DATABASE_URL.'),
    timeout_sec: seconds(limits.serviceTimeoutSec).describe('Seconds until it must be ready.'),
  })
  .refine(({ ports, ready }) => ports.length > 0 || ready !== undefined, {
    error: 'needs `ready` or `ports`: otherwise nobody knows when it is ready',
  })

type Service = z.output<typeof service>

/** Two services cannot use one port, since all of them listen in one sandbox. */
const portsApart = (services: readonly Service[]) => {
  const ports = services.flatMap(({ ports, ready }) => [
    ...new Set([...ports, ...(ready?.port === undefined ? [] : [ready.port])]),
  ])
  return new Set(ports).size === ports.length
}

/** A step has one environment, so services must not set different values. */
const variablesAgree = (services: readonly Service[]) => {
  const variables = services.flatMap(({ env }) => Object.entries(env))
  return variables.every(([name, value]) => variables.every(([other, its]) => name !== other || value === its))
}

/** Folders must be neither equal nor nested, since each is a separate mount. */
const outputsApart = (entries: readonly { readonly outputs: readonly string[] }[]) => {
  const outputs = entries.flatMap((entry) => entry.outputs)
  return outputs.every((path, i) => outputs.every((other, j) => i === j || !`${path}/`.startsWith(`${other}/`)))
}

const verificationKeys = z.strictObject({
  package: outputFolder
    .exactOptional()
    .describe('Folder of a monorepo in which `prepare` and `steps` run; all other paths stay relative to the root.'),
  prepare: z
    .array(prepareStep)
    .default([])
    .refine(uniqueNames, { error: 'two entries have the same name' })
    .refine(outputsApart, { error: 'an output is named twice, or lies inside another' }),
  steps: z
    .array(verificationStep)
    .default([])
    .refine(uniqueNames, { error: 'two steps have the same name' })
    .describe('Run in order; the first that fails ends the verification.'),
  services: z
    .array(service)
    .max(limits.services)
    .default([])
    .refine(uniqueNames, { error: 'two services have the same name' })
    .refine(portsApart, { error: 'two services have the same port, and they listen in one sandbox' })
    .refine(variablesAgree, { error: 'two services give one variable different values' })
    .describe('Started anew in the sandbox of each step, in order, each when the one before is ready.'),
  allow_failing: z
    .array(text.max(limits.testReport.idChars))
    .max(1_000)
    .default([])
    .describe('Ids of tests that may fail as long as they fail on the base commit, too.'),
  allow_updating: z
    .array(text.max(100))
    .max(100)
    .default([])
    .describe('Flags, such as --fix, by which a step may rewrite what it checks; a step that has another is refused.'),
  writes: z
    .enum(['deny', 'overlay'])
    .default('deny')
    .describe(
      'What a write into the repository does: fail, or go into a layer of that verification alone. A step can say it for itself.',
    ),
  assurance: z
    .enum(['full', 'standard', 'fast'])
    .default('full')
    .describe(
      'What a green change is asked beside its steps: "standard" tries the old tests on the new sources and whether the runner still hears a failing test, "full" also each hunk alone, "fast" nothing.',
    ),
  assurance_budget: z
    .number()
    .min(0)
    .max(100)
    .default(limits.assurance.budget)
    .describe(
      'Time for trying hunks alone, as a multiple of the time of the steps; at least ten seconds, and 0 tries none.',
    ),
})

/** `verification` of a repository's configuration. */
export const verificationSchema = verificationKeys.refine(
  ({ steps, services }) => {
    const known = new Set(services.map(({ name }) => name))
    return steps.every((step) => (step.services ?? []).every((name) => known.has(name)))
  },
  { error: 'names a service that `verification.services` does not have', path: ['steps'] },
)
