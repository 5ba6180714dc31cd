import { join } from 'node:path';

/** Returns the path of org-roam's database for a clone. It is inside .git, where git ignores it. */
export function orgRoamDatabase(dir: string): string {
  return join(dir, '.git', 'aish', 'org-roam.db');
}

/** Returns the Emacs code that shows the clone in org-roam and leaves a person's own notes unchanged. */
export function adapterText(dir: string): string {
  return `;;; aish-kb.el --- the knowledge base of aish in org-roam  -*- lexical-binding: t; -*-
;; Written by \`aish kb init --emacs' on each run. M-x aish-kb-switch shows the knowledge base,
;; M-x aish-kb-switch-back your own notes. Each Emacs begins with your own. It is for reading: write with \`aish kb add'.

(defvar org-roam-directory)
(defvar org-roam-db-location)
(defvar org-roam-file-exclude-regexp)
(defvar org-roam-capture-templates)
(declare-function org-roam-db-sync "org-roam-db")
(declare-function org-roam-db-query "org-roam-db")

(defconst aish-kb-values
  '((org-roam-directory . ${lispString(dir)})
    (org-roam-db-location . ${lispString(orgRoamDatabase(dir))})
    (org-roam-file-exclude-regexp . "\\\\(?:^\\\\|/\\\\)\\\\(?:raw\\\\|index\\\\)/")
    (org-roam-capture-templates . nil))
  "What org-roam is told while it shows the knowledge base.")

(defvar aish-kb-own nil
  "What org-roam was told before \`aish-kb-switch'; nil while it shows your own notes.")

(defun aish-kb-switch ()
  "Show the knowledge base of aish in org-roam."
  (interactive)
  (require 'org-roam)
  (unless aish-kb-own
    (setq aish-kb-own (mapcar (lambda (each) (cons (car each) (symbol-value (car each)))) aish-kb-values))
    (dolist (each aish-kb-values) (set (car each) (cdr each))))
  (org-roam-db-sync))

(defun aish-kb-switch-back ()
  "Show your own notes in org-roam again."
  (interactive)
  (dolist (each aish-kb-own) (set (car each) (cdr each)))
  (setq aish-kb-own nil))

(defun aish-kb-sync ()
  "Bring org-roam's database of the knowledge base up to date, and count its nodes and links."
  (interactive)
  (require 'org-roam)
  (cl-progv (mapcar #'car aish-kb-values) (mapcar #'cdr aish-kb-values)
    (org-roam-db-sync)
    (message "aish-kb: %S" (list (caar (org-roam-db-query [:select (funcall count id) :from nodes]))
                                 (caar (org-roam-db-query [:select (funcall count source) :from links]))))))

(require 'cl-lib)
(provide 'aish-kb)
;;; aish-kb.el ends here
`;
}

function lispString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
