import { z } from 'zod'
import { limits } from '../domain/limits.ts'

const seconds = (fallback: number) => z.int().min(1).max(86_400).default(fallback)
const text = z.string().trim().min(1)

/** A path that stays below the folder it is relative to. */
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
 * Where a layer is mounted: a folder of the repository, not the repository itself, nor git's own.
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

const host = text.regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$/, {
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
  command: text.describe('Run by `sh -c` at the root of a clean, read-only checkout, without a network.'),
  timeout_sec: seconds(limits.stepTimeoutSec),
  junit: pathBelow.exactOptional().describe('A JUnit report that the command writes, relative to $ARTIFACT_DIR.'),
})

/** No folder twice, and none inside another: each is one mount. */
const outputsApart = (entries: readonly { readonly outputs: readonly string[] }[]) => {
  const outputs = entries.flatMap((entry) => entry.outputs)
  return outputs.every((path, i) => outputs.every((other, j) => i === j || !`${path}/`.startsWith(`${other}/`)))
}

/** `verification` of a repository's configuration. */
export const verificationSchema = z.strictObject({
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
    .describe('What a write into the repository does: fail, or go into a layer of that verification alone.'),
  assurance: z
    .enum(['full', 'standard', 'fast'])
    .default('full')
    .describe(
      'What a green change is asked beside its steps: "standard" tries the old tests on the new sources and whether the runner still hears a failing test, "full" also each hunk alone, "fast" nothing.',
    ),
})
