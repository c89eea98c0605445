/**
 * The prefixes of Drydock's temporary folders. All code that makes such a folder takes its name
 * from here, so that the folders can be found again.
 */
export const temporaryFolders = {
  demo: 'drydock-demo-',
  doctor: 'drydock-doctor-',
  init: 'drydock-init-',
  egress: 'drydock-egress-',
  services: 'drydock-services-',
  trace: 'drydock-trace-',
  pipe: 'drydock-pipe-',
  imageContext: 'drydock-context-',
  security: 'drydock-security-',
  bench: 'drydock-bench-',
} as const
