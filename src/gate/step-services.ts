import { limits } from '../domain/limits.ts'
import type { RunConfig, Service, VerificationStep } from '../domain/run/run-config.ts'
import { sentence } from '../domain/sentence.ts'
import type { InfraError, ServiceRecord } from '../domain/verification/verdict.ts'
import type { LogFile } from '../ports/artifacts.ts'
import type { SandboxService, ServiceCommand, ServiceRun } from '../ports/sandbox-services.ts'
import { createOutputTail } from './output-tail.ts'

export interface StepServices {
  readonly services: readonly SandboxService[]
  records(runs: readonly ServiceRun[]): readonly ServiceRecord[]
  /** Adds the end of the failed service's log to the error. */
  explained(error: InfraError): InfraError
  close(): void
}

interface Opening {
  readonly config: RunConfig
  readonly step: VerificationStep
  /** The name of the step's logs, without `.log`. */
  readonly logName: string
  readonly openLog: (name: string) => LogFile
}

/** The services of one step, which its sandbox starts again, each with a log of its own. */
export function openStepServices({ config, step, logName, openLog }: Opening): StepServices {
  const opened = servicesOf(config, step).map((service) => {
    const name = `${logName}.service-${service.name}.log`
    const log = openLog(name)
    const tail = createOutputTail(limits.serviceTail.bytes, limits.serviceTail.lines)
    return { service, name, log, tail }
  })
  return {
    services: opened.map(({ service, log, tail }) => ({
      ...serviceCommand(service),
      onOutput(chunk) {
        log.write(chunk)
        tail.push(chunk)
      },
    })),
    records: (runs) =>
      runs.flatMap(({ name, readyMs, exitCode }) => {
        const log = opened.find(({ service }) => service.name === name)?.name
        return log === undefined ? [] : [{ name, ready_ms: readyMs, exit_code: exitCode, log: `logs/${log}` }]
      }),
    explained(error) {
      const at = opened.find(({ service }) => error.errorMessage.startsWith(`Service ${service.name} `))
      if (error.errorType !== 'service_failed' || at === undefined) return error
      const said = at.tail.text().trim()
      const log = said === '' ? 'It printed nothing.' : `Its log, logs/${at.name}, ends with:\n${said}`
      return { ...error, errorMessage: sentence`${error.errorMessage}, so step ${step.name} was not run. ${log}` }
    },
    close() {
      for (const { log } of opened) log.close()
    },
  }
}

export function serviceCommand({ name, command, env, ready, timeoutSec }: Service): ServiceCommand {
  return { name, command, env, ready, timeoutMs: timeoutSec * 1_000 }
}

/** Variables of all services, which every step gets. */
export function serviceEnvironment({ services = [] }: Pick<RunConfig, 'services'>): Readonly<Record<string, string>> {
  return Object.assign({}, ...services.map(({ env }) => env))
}

function servicesOf({ services = [] }: RunConfig, step: VerificationStep): readonly Service[] {
  return services.filter(({ name }) => step.services?.includes(name) ?? true)
}

/** A line for each service that ended while the step ran. */
export function serviceEnds(records: readonly ServiceRecord[], step: string): readonly string[] {
  return records.flatMap(({ name, exit_code, log }) =>
    exit_code === null
      ? []
      : [`\n[drydock] service ${name} ended with exit code ${exit_code} during ${step}: ${log}\n`],
  )
}
