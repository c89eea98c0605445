import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { isDiskFull } from '../../domain/disk-full.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Json } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { statementOf, type UnsignedReceipt } from '../../domain/verification/receipt.ts'
import { lackOf } from '../../domain/verification/scarcity.ts'
import { writeWhole } from '../../files/write-whole.ts'
import type { Receipts } from '../../ports/receipts.ts'
import { checkReceipt } from './check-receipt.ts'
import { seal } from './dsse.ts'
import { keyFileOf, signingKey } from './signing-key.ts'

interface ReceiptsOptions {
  /** ARTIFACT_DIR; its folder `receipts` is never mounted in a sandbox. */
  readonly artifacts: string
  /** The folder of the states, with the key beside them. */
  readonly installation: string
  /** Drydock's version. */
  readonly version: string
  readonly redact: (text: string) => string
}

/** Receipts, stored as `receipts/<commit>.json`. */
export function createReceipts({ artifacts, installation, version, redact }: ReceiptsOptions): Receipts {
  return {
    async keep(receipt, { anew = false } = {}) {
      const { commit, tree } = receipt
      if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`${JSON.stringify(commit)} is no commit`)
      const key = await signingKey(keyFileOf(installation))
      const path = join('receipts', `${commit}.json`)
      const file = join(artifacts, path)
      const before = anew ? null : await readKept(file)
      if (before !== null && checkReceipt({ text: before, commit, tree, keys: [key] }).ok) return { text: before, path }
      const text = seal(Buffer.from(redact(payloadOf(receipt, version))), key)
      if (text.length > limits.receipt.bytes) throw failed(file, `it has ${text.length} bytes`)
      await write(join(artifacts, 'receipts'), file, text)
      return { text, path }
    },
    async textOf(commit) {
      const file = join(artifacts, 'receipts', `${commit}.json`)
      const text = await readKept(file)
      if (text === null) throw failed(file, 'it is gone')
      return text
    },
  }
}

/** The bytes that are signed. */
export function payloadOf(receipt: UnsignedReceipt, version: string): string {
  return canonicalJson(statementOf({ ...receipt, drydock: { version } }) as unknown as Json)
}

async function readKept(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw failed(file, error.message, error)
  })
}

/** Writes the file atomically and flushes it, since other records will refer to it. */
async function write(folder: string, file: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await writeWhole(file, text, { onDisk: true })
  } catch (cause) {
    throw failed(file, (cause as Error).message, cause)
  }
}

function failed(file: string, why: string, cause?: unknown): DrydockError {
  if (isDiskFull(cause)) {
    return new DrydockError('disk_full', `There is no space left for the receipt ${file}: ${why}`, {
      todo: 'Free some space, then run: drydock resume',
      cause,
    })
  }
  const lack = lackOf(why)
  return new DrydockError('receipt_failed', `The receipt could not be stored: ${file}: ${why}`, {
    todo: lack === null ? 'Make sure that Drydock can write there.' : `The machine has run out of ${lack}. Free some.`,
    cause,
  })
}
