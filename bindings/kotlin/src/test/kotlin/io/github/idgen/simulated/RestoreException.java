package io.github.idgen.simulated;

public class RestoreException extends Exception {}
