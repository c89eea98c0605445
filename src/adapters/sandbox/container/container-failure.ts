import { sentence } from '../../../domain/sentence.ts'
import { lackOf } from '../../../domain/verification/scarcity.ts'
import type { InfraError } from '../../../domain/verification/verdict.ts'

export interface ContainerNames {
  readonly program: 'docker' | 'podman'
  /** Null if it is unknown yet. */
  readonly image: string | null
}

const packages = { docker: 'docker.io', podman: 'podman' }

/** The reason why a container failed, derived from its program's error output. */
export function containerFailure({ program, image }: ContainerNames, words: string): InfraError {
  if (/\bspawn .*ENOENT\b/.test(words)) {
    const line = `apt-get install ${packages[program]}`
    return failure('sandbox_unavailable', `${program} is missing. Install it: ${line}`)
  }
  if (/docker daemon|docker\.sock|cannot connect to podman/i.test(words)) {
    return failure(
      'sandbox_unavailable',
      sentence`${program} cannot reach its daemon: ${words}. ${daemonLine[program]}`,
    )
  }
  if (image !== null && /no such image|image not known|unable to find image|failed to find image/i.test(words)) {
    return failure('image_pull', `The image ${image} is not on this machine. Pull it: ${program} pull ${image}`)
  }
  if (/\.drydock\/node: (not found|no such file|cannot execute)|GLIBC|libstdc\+\+/i.test(words)) {
    const needs = 'it needs glibc and libstdc++, which images of Alpine do not have'
    return failure('container_creation', `Drydock's Node cannot run in the image ${image}: ${needs}. ${words}`)
  }
  if (lackOf(words) !== null) {
    return failure('resource_exhaustion', `The machine has too little left to start a container: ${words}`)
  }
  return failure('container_creation', `The container did not start: ${words || `${program} said nothing`}`)
}

const daemonLine = {
  docker: 'Start it: systemctl start docker; or allow yourself to use it: usermod -aG docker $USER',
  podman: 'Start it: systemctl --user start podman.socket',
}

export function failure(errorType: InfraError['errorType'], errorMessage: string): InfraError {
  return { errorType, errorMessage }
}
