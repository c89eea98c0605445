/**
 * How the names of the folders begin that Drydock makes among the temporary ones: whoever makes one
 * takes its name from here, and so they can be found again.
 */
export const temporaryFolders = {
  demo: 'drydock-demo-',
  doctor: 'drydock-doctor-',
  egress: 'drydock-egress-',
  pipe: 'drydock-pipe-',
  imageContext: 'drydock-context-',
  security: 'drydock-security-',
} as const
